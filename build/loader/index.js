import program from './program.cjs';

export const { connectMomoMock, MomoMockError, startMomoMock } = program.library();
