import { keep, program } from './program.cjs';

// Most test processes end before the second after which the code is kept.
process.once('exit', keep);

export const { connectMomoMock, drills, MomoMockError, startMomoMock } = program.library();
