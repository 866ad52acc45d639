import { setTimeout } from 'node:timers';
import load from './load.cjs';

const { program, keep } = load('momo-mock.cjs');

export const { connectMomoMock, MomoMockError, startMomoMock } = program.library();

// Many test processes end within that second.
setTimeout(keep, 1000).unref();
process.once('exit', keep);
