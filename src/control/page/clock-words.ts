/** The local time of day with ms, such as `21:48:04.001`. */
export function timeOfDay(iso: string): string {
  const date = new Date(iso);
  const two = (value: number) => String(value).padStart(2, '0');
  const ms = String(date.getMilliseconds()).padStart(3, '0');
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${ms}`;
}

/** A local date, such as `2027-12-23`. */
export function dateOf(iso: string): string {
  const date = new Date(iso);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** A local date and time, such as `2027-12-23 21:48:04`. */
export function dateTimeOf(ms: number): string {
  const iso = new Date(ms).toISOString();
  return `${dateOf(iso)} ${timeOfDay(iso).slice(0, 8)}`;
}

/** A duration such as `1.2 ms` or `2.00 s`; empty without one. */
export function durationText(ms: number | null): string {
  if (ms === null) return '';
  if (ms >= 9_999.5) return `${(ms / 1000).toFixed(1)} s`;
  if (ms >= 999.5) return `${(ms / 1000).toFixed(2)} s`;
  return ms >= 99.95 ? `${Math.round(ms)} ms` : `${ms.toFixed(1)} ms`;
}
