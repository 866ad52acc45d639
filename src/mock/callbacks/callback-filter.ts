import * as Type from 'typebox';
import { define } from '../define.ts';
import type { Definition } from '../definition.ts';
import { DEFAULT_TIMEOUT, type Filter, type RequestsOptions } from '../journal/journal-filter.ts';
import { pageFields } from '../journal/request-fields.ts';
import { CALLBACK_FIELDS } from './callback-fields.ts';
import type { CallbackReason } from './callback-record.ts';

/** The fields by which attempts of callbacks are selected, in filters and in expectations. */
export interface CallbackFields {
  /** The URL, with or without its query. */
  readonly url?: string;
  /** The HTTP method, such as `POST`. */
  readonly method?: string;
  /** The status of the response. */
  readonly status?: number;
  /** The reason for which there is no status. */
  readonly reason?: CallbackReason;
  /** The number of the attempt, from 1. */
  readonly attempt?: number;
}

/** Selects the attempts that match all fields of the filter. */
export interface CallbackFilter
  extends CallbackFields,
    Pick<Filter, 'account' | 'since' | 'limit'> {
  /** Only attempts that have ended. */
  readonly isEnded?: boolean;
}

/** A filter, and the number of attempts to wait for. */
export interface CallbacksOptions
  extends CallbackFields,
    Pick<RequestsOptions, 'since' | 'limit' | 'timeout'> {
  /**
   * Wait until this many attempts have ended.
   *
   * @default 0
   */
  readonly waitFor?: number;
}

/** The definition of a filter of callbacks. */
export const CALLBACKS_OPTIONS: Definition<CallbacksOptions> = define(
  Type.Object(
    { ...CALLBACK_FIELDS, ...pageFields('attempts', DEFAULT_TIMEOUT) },
    { $id: 'CallbackFilter', additionalProperties: false },
  ),
);
