/** The format of the data. A mock refuses data in another format. */
export const FORMAT = '2';

/**
 * Begins an epoch if there is no data, if a part of it is missing, or if its epoch is lost. Returns
 * the head; `nil` for data in another format.
 *
 * Keys: format, head, events, snapshot, timers. Arguments: format, new epoch, TTL, lost epoch.
 */
export const BEGIN = `
local format = redis.call('GET', KEYS[1])
if format and format ~= ARGV[1] then return false end
local head = redis.call('GET', KEYS[2])
local epoch = head and string.match(head, '%S+')
if not head or redis.call('EXISTS', KEYS[3]) == 0 or epoch == ARGV[4] then
  redis.call('DEL', unpack(KEYS))
  redis.call('SET', KEYS[1], ARGV[1])
  redis.call('SET', KEYS[2], ARGV[2]..' 0-0 0-0 0')
  redis.call('XADD', KEYS[3], '*', 'e', ARGV[2], 'd', '{"do":"begin"}')
  for at = 1, 3 do redis.call('PEXPIRE', KEYS[at], ARGV[3]) end
end
return redis.call('GET', KEYS[2])`;

/**
 * Replaces the snapshot, and trims the events before the previous one, unless another process was
 * faster.
 *
 * Keys: head, snapshot, new snapshot, events. Arguments: head, new head, the first event to keep.
 */
export const TRIM = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return redis.call('DEL', KEYS[3]) end
redis.call('RENAME', KEYS[3], KEYS[2])
redis.call('PEXPIRE', KEYS[2], redis.call('PTTL', KEYS[1]))
redis.call('SET', KEYS[1], ARGV[2], 'KEEPTTL')
return redis.call('XTRIM', KEYS[4], 'MINID', ARGV[3])`;
