import type { ScriptedResponse } from '../../src/mock/scripted-response.ts';
import type { Controller } from '../support/running-mock.ts';

/** The scripted responses that a controller shows. */
export async function responsesOf(
  controller: Controller,
  key: string | undefined,
): Promise<ScriptedResponse[]> {
  const responses: ScriptedResponse[] = [];
  for await (const response of controller.responses(key)) responses.push(response);
  return responses;
}
