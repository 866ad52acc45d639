// All limits on what clients and tests can send, and on what handlers can do. Exceeding a limit is
// an error that names it, because code for more would be slow or use too much memory.

/** The maximum length of a snapshot as JSON, in bytes: 32 MiB. It holds for a snapshot file, too. */
export const MAX_SNAPSHOT_BYTES = 32 * 1_048_576;

/** The control API restores a snapshot with no more accounts. A snapshot file has no such limit. */
export const MAX_RESTORED_ACCOUNTS = 15_000;

/** It holds for a request's query or form, and for a webhook's URL. */
export const MAX_FIELDS = 1000;

/** The maximum number of secrets in a request whose body is shown. */
export const MAX_SECRETS = 64;

/** The maximum number of secrets in a request. With more, no value of the request is shown. */
export const MAX_SEARCHED_SECRETS = 1000;

/**
 * The maximum length of all keys and secrets that the mock has to find, in all their forms. Building
 * the search for as many takes seconds.
 */
export const MAX_KEY_CHARACTERS = 4_000_000;

/** It counts nested lists and objects in JSON. */
export const MAX_LEVELS = 100;

/** It includes what the control API has around a value, as in `{"exactly":[{"body":…}]}`. */
export const MAX_BODY_LEVELS = MAX_LEVELS + 3;

/** The maximum length of a body that the control API or a handler receives, in bytes. */
export const MAX_GIVEN_BYTES = 1_048_576;

/** The maximum number of values in a body that the control API receives: each number costs 1 µs. */
export const MAX_GIVEN_VALUES = 250_000;

/** The maximum length of a body that is checked against a request schema, in bytes: 128 KiB. */
export const MAX_CHECKED_BYTES = 131_072;

/** The maximum length of a body to search for all its problems, in bytes: 4 KiB. */
export const MAX_ALL_PROBLEMS_BYTES = 4096;

export const MAX_PROBLEMS = 20;

/**
 * The maximum number of items to compare with one another, in a body over 4 KiB. With 500 items,
 * lists in a list block the mock for a third of a second.
 */
export const MAX_UNIQUE_ITEMS = 100;

export const MAX_ENCODINGS = 3;

/** The maximum length of a body in the journal, in bytes. */
export const MAX_BODY_BYTES = 65_536;

/** How much is read of the response to a webhook. */
export const MAX_RESPONSE_BYTES = 16_384;

/** Its author is trusted, so it is large. */
export const MAX_FIXTURE_BYTES = 10 * 1024 * 1024;

/** The maximum delay, in ms: an hour. Longer random delays are shortened to it. */
export const MAX_DELAY_MS = 3_600_000;

/** A day. It holds for a retry, too. */
export const MAX_WEBHOOK_DELAY_MS = 86_400_000;

export const MAX_WEBHOOKS_OF_RESPONSE = 100;

export const MAX_SCRIPTED_RESPONSES = 10_000;

export const MAX_STATE_NAMES = 10_000;

export const MAX_STATE_NAME_LENGTH = 512;

export const MAX_STATE_VALUE_BYTES = 1_048_576;

/** The maximum length of the body of `PATCH /state`, in bytes: several long values in one step. */
export const MAX_STATE_CHANGE_BYTES = 16 * 1_048_576;

/** How often `update` and `transaction` try to write, if other clients change the state meanwhile. */
export const MAX_STATE_ATTEMPTS = 1000;

export const MAX_STATE_BYTES = 16_777_216;

/** How many tokens of an account are remembered, the newest ones. */
export const MAX_TOKENS = 10_000;

/** The maximum length of a token's claims as JSON, in bytes: 4 KiB. */
export const MAX_CLAIMS_BYTES = 4096;

/** The maximum delay of a timer, and the maximum step of a clock, in ms: 100 years. */
export const MAX_STEP_MS = 100 * 365 * 24 * 60 * 60 * 1000;

/** The end of the year 9999, the last year with a plain ISO 8601 form, in ms since 1970. */
export const MAX_TIME = 253_402_300_799_999;

/** The maximum number of pending timers that handlers set for an account, or for all accounts. */
export const MAX_PENDING_TIMERS = 10_000;

/** How many timers one `advance` runs. */
export const MAX_TIMERS = 100_000;

/** The maximum number of open prompts of an account. */
export const MAX_PROMPTS = 1000;

/** The maximum length of a prompt's title, and of its text. */
export const MAX_PROMPT_LENGTH = 500;

export const MAX_CHOICES = 10;

export const MAX_CHOICE_LENGTH = 40;

/** The maximum number of entries that the ledger of an account lists. */
export const MAX_LEDGER_ENTRIES = 100_000;

export const MAX_URL_BYTES = 8192;

/** The maximum length of all headers of a webhook, with its signature, in bytes: 16 KiB. */
export const MAX_WEBHOOK_HEADER_BYTES = 16_384;

/** The maximum length of the payload of a signature with its placeholders filled, in bytes: 4 MiB. */
export const MAX_PAYLOAD_BYTES = 4 * 1_048_576;

export const MAX_SECRET_LENGTH = 4096;

export const MAX_ATTEMPT_MS = 60_000;

/** The time limit of an attempt that sets none, in ms. */
export const DEFAULT_ATTEMPT_MS = 10_000;

/** The longest wait of a response for a webhook that arrives before it, in ms. */
export const MAX_BEFORE_MS = 10_000;

export const MAX_RETRIES = 100;

/** How many times a script sends a webhook. */
export const MAX_REPEATS = 100;

export const MAX_SCRIPTED_WEBHOOKS = 10_000;

/** How many scripted webhooks of an account match a text of the body, which may have 1 MiB. */
export const MAX_SCRIPTED_TEXTS = 100;

export const MAX_IN_FLIGHT = 100;

export const MAX_QUEUED = 100_000;

export const MAX_QUEUED_BYTES = 64 * 1_048_576;

export const MAX_EXPECTATIONS = 100;

export const MAX_TIMES = 1_000_000;

export const MAX_EXPECTATION_BYTES = 65_536;

/** The message of a failed verification is cut to it. */
export const MAX_MESSAGE_BYTES = 8192;

/** The maximum number of requests that wait for a reader of events. The oldest are dropped. */
export const MAX_PENDING_EVENTS = 1000;

export const MAX_RATE = 1_000_000;

export const MAX_RATE_WINDOW_MS = 86_400_000;

export const MAX_WAIT_MS = 600_000;

/** The maximum number of an object's names that count as fields. With more, they are data. */
export const MAX_MEMBERS = 1000;

/** The maximum number of places in a recorded schema, because compiling it takes longer with each. */
export const MAX_PLACES = 5000;

/**
 * The maximum number of elements of lists and maps to compare in a response of the real service.
 * Ajv collects every problem of every element, which takes gigabytes for a long list.
 */
export const MAX_COMPARED = 1000;

export const MAX_FINDINGS = 20;
