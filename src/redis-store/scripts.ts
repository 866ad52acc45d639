import { LARGEST_STATE, MOST_RESPONSES, MOST_STATE_NAMES } from '../mock/limits.ts';

/** The format of the data. A mock uses no data of another one. */
export const FORMAT = '1';

/** What a script says where the data that a process knows was lost. */
export const LOST = 'MOMOLOST the data was lost';

/**
 * What all scripts begin with. The first arguments are the prefix of the keys, and the epoch that the
 * process knows. Keys:
 *
 *     format  epoch         of the data; the second differs after the data was lost
 *     ids                   counters: account, script, write, limit, requests, callbacks, lost
 *     keys  accounts        API key -> id, id -> how the account starts, as JSON
 *     peers  timers         the running processes, and how many timers each has
 *     configured:PEER       the accounts of a running process, as JSON
 *     touched               when a request or a call was about an account last
 *     scope:ID              balance, variant, limit, counted requests, clock, bytes and version of the state
 *     state:ID              name -> `v` and the JSON, or `n` for a value that hides another one
 *     queues:ID             the names of the queues of scripted responses
 *     queue:ID:EARLY:OPERATION, callbacks:ID
 *     script:NUMBER         a scripted response
 *     events                what happened, of all processes
 *
 * The service has the id `service`.
 */
const PRELUDE = `
local P = ARGV[1]
if ARGV[2] ~= '' and redis.call('GET', P..'epoch') ~= ARGV[2] then
  return redis.error_reply('${LOST}')
end
local A = {}
for at = 3, #ARGV do A[at - 2] = ARGV[at] end
local function call(...) return redis.call(...) end
`;

/** What scripts have in common, by its name. Each uses only what stands before it. */
const FUNCTIONS = {
  count: `
local function count(name) return call('HINCRBY', P..'ids', name, 1) end`,
  tell: `
local function tell(...) call('XADD', P..'events', '*', ...) end`,
  now: `
local function now()
  local time = call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end`,
  touch: `
local function touch(id)
  local time = now()
  call('ZADD', P..'touched', time, 'service', time, id)
end`,
  exists: `
local function exists(id) return id == 'service' or call('HEXISTS', P..'accounts', id) == 1 end`,
  versionOf: `
local function versionOf(id)
  return call('HGET', P..'scope:'..id, 'version') or '0'
end`,
  version: `
local function version(id)
  local service = call('GET', P..'epoch')..'-'..versionOf('service')
  if id == 'service' or not exists(id) then return service end
  return service..'-'..versionOf(id)
end`,
  written: `
local function written(id) call('HSET', P..'scope:'..id, 'version', count('write')) end`,
  clearScripts: `
local function clearScripts(id)
  for _, queue in ipairs(call('SMEMBERS', P..'queues:'..id)) do
    for _, number in ipairs(call('LRANGE', queue, 0, -1)) do call('DEL', P..'script:'..number) end
    call('DEL', queue)
  end
  call('DEL', P..'queues:'..id)
end`,
  clear: `
local function clear(id)
  clearScripts(id)
  call('DEL', P..'callbacks:'..id, P..'state:'..id)
  call('HDEL', P..'scope:'..id, 'balance', 'variant', 'limit', 'counted', 'clock', 'bytes')
end`,
  start: `
local function start(id, account)
  clear(id)
  if account.balance then call('HSET', P..'scope:'..id, 'balance', account.balance) end
  local bytes = 0
  for name, json in pairs(account.state or {}) do
    call('HSET', P..'state:'..id, name, 'v'..json)
    bytes = bytes + #name + #json
  end
  call('HSET', P..'scope:'..id, 'bytes', bytes)
  written(id)
end`,
  drop: `
local function drop(id)
  clear(id)
  call('DEL', P..'scope:'..id)
  call('HDEL', P..'accounts', id)
  call('ZREM', P..'touched', id)
end`,
  add: `
local function add(json)
  local account = cjson.decode(json)
  if call('HEXISTS', P..'keys', account.key) == 1 then return false end
  local number = count('account')
  local id = 'account-'..number
  call('HSET', P..'keys', account.key, id)
  call('HSET', P..'accounts', id, json)
  start(id, account)
  touch(id)
  tell('kind', 'key', 'number', number, 'key', account.key)
  return id
end`,
  forget: `
local function forget(peer)
  local timers = call('HGET', P..'timers', peer)
  if timers then call('HINCRBY', P..'ids', 'lost', timers) end
  call('HDEL', P..'timers', peer)
  call('SREM', P..'peers', peer)
  call('DEL', P..'configured:'..peer)
end`,
  peers: `
local function peers()
  local live = {}
  for _, peer in ipairs(call('SMEMBERS', P..'peers')) do
    if call('EXISTS', P..'configured:'..peer) == 1 then table.insert(live, peer)
    else forget(peer) end
  end
  return live
end`,
  numbers: `
local function numbers(id)
  local all = {}
  for _, queue in ipairs(call('SMEMBERS', P..'queues:'..id)) do
    for _, number in ipairs(call('LRANGE', queue, 0, -1)) do table.insert(all, tonumber(number)) end
  end
  table.sort(all)
  return all
end`,
  take: `
local function take(id, early, operation)
  local queue = P..'queue:'..id..':'..early..':'..operation
  local number = call('LINDEX', queue, 0)
  if not number then return {} end
  local script = P..'script:'..number
  local used = call('HINCRBY', script, 'used', 1) - 1
  local given = call('HGET', script, 'given')
  local left = call('HGET', script, 'left')
  if left ~= 'always' and call('HINCRBY', script, 'left', -1) == 0 then
    call('LPOP', queue)
    call('DEL', script)
  end
  return { number, used, given }
end`,
  short: `
local function short(id) return call('HMGET', P..'scope:'..id, 'balance', 'variant', 'limit') end`,
  configured: `
local function configured(id)
  local scripts = {}
  for _, number in ipairs(numbers(id)) do
    table.insert(scripts, call('HMGET', P..'script:'..number, 'given', 'left', 'used'))
  end
  local scope = short(id)
  local callbacks = call('LRANGE', P..'callbacks:'..id, 0, -1)
  return { scope[1], scope[2], scope[3], scripts, callbacks }
end`,
  clockOf: `
local function clockOf(id)
  local json = call('HGET', P..'scope:'..id, 'clock')
  return json and cjson.decode(json) or { offset = 0 }
end`,
  timeOf: `
local function timeOf(id)
  local own, service = clockOf(id), clockOf('service')
  return own.stands or (service.stands or now() + service.offset) + own.offset
end`,
  exceeds: `
local function exceeds(id, limit)
  local number, most, window = string.match(limit, '(%w+) (%d+) (%d+)')
  local scope, time = P..'scope:'..id, timeOf(id)
  local last = call('HGET', scope, 'counted') or ''
  local by, count, began = string.match(last, '(%w+) (%d+) ([%d.]+)')
  local age = by == number and time - began
  if not age or age < 0 or age >= tonumber(window) then count, began, age = 0, time, 0 end
  if tonumber(count) >= tonumber(most) then return window - age end
  call('HSET', scope, 'counted', string.format('%s %d %.0f', number, count + 1, began))
  return false
end`,
};

/** The scripts, by the name of their command. Each is one step, and `A` has its arguments. */
export const SCRIPTS = {
  /** Process, its accounts as JSON, the time in ms for which it lives without a sign of life, format. */
  storeStart: `
    call('SETNX', P..'format', A[4])
    if call('GET', P..'format') ~= A[4] then return false end
    call('SETNX', P..'epoch', A[1])
    call('SET', P..'configured:'..A[1], A[2], 'PX', A[3])
    call('SADD', P..'peers', A[1])
    for _, json in ipairs(cjson.decode(A[2])) do
      if add(json) then tell('kind', 'change', 'what', 'accounts') end
    end
    touch('service')
    local clocks = { 'service', call('HGET', P..'scope:service', 'clock') }
    for _, id in ipairs(call('HKEYS', P..'accounts')) do
      local clock = call('HGET', P..'scope:'..id, 'clock')
      if clock then table.insert(clocks, id); table.insert(clocks, clock) end
    end
    local last = call('HGET', P..'ids', 'account') or '0'
    return { call('GET', P..'epoch'), clocks, call('HKEYS', P..'keys'), last }`,

  /** A sign of life: process, its accounts, how long it lives, its timers, the oldest event to keep. */
  storeBeat: `
    call('SET', P..'configured:'..A[1], A[2], 'PX', A[3])
    call('SADD', P..'peers', A[1])
    call('HSET', P..'timers', A[1], A[4])
    if A[5] ~= '' then call('XTRIM', P..'events', 'MINID', A[5]) end
    return #peers()`,

  /** Process, its timers. */
  storeStop: `
    call('HSET', P..'timers', A[1], A[2])
    forget(A[1])
    return 1`,

  /** Removes what nobody has touched for a time in ms, and lets the rest expire after that time. */
  storeSweep: `
    local configured = {}
    for _, peer in ipairs(peers()) do
      for _, json in ipairs(cjson.decode(call('GET', P..'configured:'..peer))) do
        configured[cjson.decode(json).key] = true
      end
    end
    for _, id in ipairs(call('ZRANGEBYSCORE', P..'touched', '-inf', now() - tonumber(A[1]))) do
      local json = call('HGET', P..'accounts', id)
      local key = json and cjson.decode(json).key
      if id == 'service' then start(id, {})
      elseif not (key and configured[key]) then
        if key then call('HDEL', P..'keys', key) end
        drop(id)
      end
    end
    local function keep(...)
      for _, key in ipairs({ ... }) do call('PEXPIRE', P..key, A[1]) end
    end
    keep('format', 'epoch', 'ids', 'keys', 'accounts', 'peers', 'timers', 'touched', 'events')
    local ids = call('HKEYS', P..'accounts')
    table.insert(ids, 'service')
    for _, id in ipairs(ids) do
      keep('scope:'..id, 'state:'..id, 'queues:'..id, 'callbacks:'..id)
      for _, queue in ipairs(call('SMEMBERS', P..'queues:'..id)) do
        call('PEXPIRE', queue, A[1])
        for _, number in ipairs(call('LRANGE', queue, 0, -1)) do keep('script:'..number) end
      end
    end
    return #ids`,

  storeLost: `
    peers()
    return call('HGET', P..'ids', 'lost') or '0'`,

  /**
   * Key or an empty text, operation, whether the request is refused, the number of the last account
   * whose key the process knows, the rate limit of the setting. The reply ends with the keys that were
   * made since, and for a request that exceeds its limit with that limit and the time until the next
   * window.
   */
  storeDecide: `
    local last = tonumber(call('HGET', P..'ids', 'account') or '0')
    local keys = {}
    for number = tonumber(A[4]) + 1, last do
      local json = call('HGET', P..'accounts', 'account-'..number)
      if json then table.insert(keys, cjson.decode(json).key) end
    end
    local early = take('service', 1, A[2])
    local id = not early[1] and A[1] ~= '' and call('HGET', P..'keys', A[1])
    touch(id or 'service')
    if not id then return { short('service'), false, false, early, last, keys } end
    local account = { id, call('HGET', P..'accounts', id) }
    local own, service, script = short(id), short('service'), {}
    local limit = own[3] or service[3] or A[5]
    local reset = limit ~= '' and exceeds(id, limit)
    if reset then return { service, account, own, {}, last, keys, limit, math.ceil(reset) } end
    if A[3] == '0' then
      script = take(id, 0, A[2])
      if not script[1] then script = take('service', 0, A[2]) end
    end
    return { service, account, own, script, last, keys }`,

  storeAccounts: `
    local all = {}
    local found = call('HGETALL', P..'accounts')
    for at = 1, #found, 2 do
      table.insert(all, { found[at], found[at + 1], configured(found[at]) })
    end
    return all`,

  storeFind: `
    local id = call('HGET', P..'keys', A[1])
    if not id then return false end
    touch(id)
    return { id, call('HGET', P..'accounts', id), configured(id) }`,

  storeAdd: `
    local id = add(A[1])
    if id then tell('kind', 'change', 'what', 'accounts') end
    return id`,

  /** Key, id. */
  storeRemove: `
    if call('HGET', P..'keys', A[1]) == A[2] then
      call('HDEL', P..'keys', A[1])
      drop(A[2])
      tell('kind', 'removed', 'scope', A[2])
    end
    tell('kind', 'change', 'what', 'accounts')
    return 1`,

  storeGet: `return configured(A[1])`,

  /**
   * Id; then what changes, each as a name and a value, where an empty value removes. `script` has the
   * early flag, the operation, the times and the JSON behind it.
   */
  storeChange: `
    local id = A[1]
    if not exists(id) then return { 1 } end
    local all = numbers(id)
    local edit, scripts, callbacks, replaces = {}, {}, {}, false
    local at = 2
    while A[at] do
      local name, value = A[at], A[at + 1]
      at = at + 2
      if name == 'script' then
        table.insert(scripts, { value, A[at], A[at + 1], A[at + 2] })
        at = at + 3
      elseif name == 'limit' then edit.limit = value ~= '' and count('limit')..' '..value or ''
      elseif name == 'callback' then table.insert(callbacks, value)
      else edit[name] = value end
    end
    local left = edit.scripts and 0 or #all
    if left + #scripts > ${MOST_RESPONSES} then return { 2, left } end
    if edit.without and not all[tonumber(edit.without) + 1] then return { 0 } end
    for _, name in ipairs({ 'balance', 'variant', 'limit' }) do
      if edit[name] == '' then call('HDEL', P..'scope:'..id, name)
      elseif edit[name] then call('HSET', P..'scope:'..id, name, edit[name]) end
    end
    if edit.scripts then clearScripts(id) end
    for _, one in ipairs(scripts) do
      local number = count('script')
      local queue = P..'queue:'..id..':'..one[1]..':'..one[2]
      call('HSET', P..'script:'..number, 'given', one[4], 'left', one[3], 'used', 0, 'queue', queue)
      call('RPUSH', queue, number)
      call('SADD', P..'queues:'..id, queue)
    end
    if edit.without then
      local number = all[tonumber(edit.without) + 1]
      call('LREM', call('HGET', P..'script:'..number, 'queue'), 1, number)
      call('DEL', P..'script:'..number)
    end
    if edit.callbacks then
      call('DEL', P..'callbacks:'..id)
      for _, json in ipairs(callbacks) do call('RPUSH', P..'callbacks:'..id, json) end
    end
    for what in string.gmatch(edit.tells, '%S+') do tell('kind', 'change', 'what', what) end
    return { 1 }`,

  storeTakeCallback: `
    return call('LPOP', P..'callbacks:'..A[1]) or call('LPOP', P..'callbacks:service')`,

  storeReadState: `
    local id = A[1]
    local own = id ~= 'service' and exists(id) and call('HGETALL', P..'state:'..id) or false
    return { version(id), call('HGETALL', P..'state:service'), own }`,

  /**
   * Id, the version or an empty text, then names and values: \`v\` and the JSON, \`n\` to hide a value of
   * state.json, \`u\` to delete.
   */
  storeWriteState: `
    local id = A[1]
    local now = version(id)
    if not exists(id) then return { 1, now } end
    if A[2] ~= '' and A[2] ~= now then return { 0 } end
    local state = P..'state:'..id
    local names = call('HLEN', state)
    local bytes = tonumber(call('HGET', P..'scope:'..id, 'bytes') or '0')
    local after, hasChanged = {}, false
    for at = 3, #A, 2 do
      local name, value = A[at], A[at + 1]
      local mark = string.sub(value, 1, 1)
      local below = id ~= 'service' and call('HGET', P..'state:service', name)
      if mark ~= 'v' then
        local isBelow = mark == 'n'
        if below then isBelow = below ~= 'n' end
        value = isBelow and 'n' or false
      end
      local before = call('HGET', state, name)
      if value ~= before then
        hasChanged = true
        if before then names = names - 1; bytes = bytes - #name - #before + 1 end
        if value then names = names + 1; bytes = bytes + #name + #value - 1 end
        table.insert(after, { name, value })
      end
    end
    if names > ${MOST_STATE_NAMES} or bytes > ${LARGEST_STATE} then return { 2, names, bytes } end
    for _, one in ipairs(after) do
      if one[2] then call('HSET', state, one[1], one[2]) else call('HDEL', state, one[1]) end
    end
    if hasChanged then
      call('HSET', P..'scope:'..id, 'bytes', bytes)
      written(id)
      tell('kind', 'change', 'what', 'state')
    end
    return { 1, version(id) }`,

  storeReset: `
    local id = A[1]
    if id ~= 'service' then
      local json = call('HGET', P..'accounts', id)
      if json then start(id, cjson.decode(json)) end
    else
      for _, account in ipairs(call('HKEYS', P..'accounts')) do drop(account) end
      call('DEL', P..'keys')
      start('service', {})
      for _, peer in ipairs(peers()) do
        local json = call('GET', P..'configured:'..peer)
        for _, one in ipairs(cjson.decode(json)) do add(one) end
      end
    end
    tell('kind', 'reset', 'scope', id)
    for what in string.gmatch(A[2], '%S+') do tell('kind', 'change', 'what', what) end
    return 1`,

  /** Id, the clock as JSON, process. */
  storeShareClock: `
    if exists(A[1]) then
      call('HSET', P..'scope:'..A[1], 'clock', A[2])
      tell('kind', 'clock', 'scope', A[1], 'time', A[2], 'peer', A[3])
    end
    return 1`,

  /** Id, by how much, the name of the call. Returns the processes that will run what comes due. */
  storeAdvance: `
    local live = peers()
    tell('kind', 'advance', 'scope', A[1], 'by', A[2], 'name', A[3])
    return live`,

  /** The name of the call, process, its clock after it, the error or an empty text. */
  storeAdvanced: `
    tell('kind', 'advanced', 'name', A[1], 'peer', A[2], 'after', A[3], 'error', A[4])
    return 1`,

  storePeers: `return peers()`,

  /**
   * What happened to records, each with four arguments: `begin`, `end`, or `whole` for both; which
   * journal, the name of the record, the entry as JSON.
   */
  storeRecords: `
    for at = 1, #A, 4 do
      local id = A[at] == 'end' and '' or count(A[at + 1])
      tell('record', table.concat({ A[at], A[at + 1], id, A[at + 2], A[at + 3] }, ' '))
    end
    return 1`,

  /** The id of the newest event. */
  storeNewest: `
    local newest = call('XREVRANGE', P..'events', '+', '-', 'COUNT', 1)[1]
    return newest and newest[1]`,

  /** Which journal, id. */
  storeEmpty: `
    tell('kind', 'empty', 'journal', A[1], 'scope', A[2])
    tell('kind', 'change', 'what', A[1])
    return 1`,
} as const;

/** The name of a script. */
export type ScriptName = keyof typeof SCRIPTS;

/** The text of a script, with the functions that it uses: each one costs time at every call. */
export function scriptOf(name: ScriptName): string {
  const texts = Object.entries(FUNCTIONS).reverse();
  const script = texts.reduce(
    (text, [used, its]) => (text.includes(`${used}(`) ? its + text : text),
    `\n${SCRIPTS[name]}`,
  );
  return PRELUDE + script;
}
