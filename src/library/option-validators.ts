import { Ajv } from 'ajv';
import { FORMATS, objectSchema } from '../settings/schema.ts';
import { CONTROL_OPTIONS, OPTIONS } from './option-table.ts';

// The build puts the code that ajv compiles here in the place of this file (build/validators.mjs):
// loading ajv takes longer than the rest of a start.
const ajv = new Ajv({ allErrors: true, allowUnionTypes: true, formats: FORMATS });

// Unlike @fastify/env, they convert nothing.
export const validateOptions = ajv.compile(objectSchema(OPTIONS));
export const validateControl = ajv.compile(objectSchema(CONTROL_OPTIONS));
