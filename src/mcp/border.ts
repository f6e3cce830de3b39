import { isUtf8 } from 'node:buffer';

import { isInitializeRequest, isJSONRPCNotification, isJSONRPCRequest, isJSONRPCResponse } from '@modelcontextprotocol/server';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';

import { kindOf } from '../service/common/value-kind.ts';

/** The JSON-RPC error codes that the border itself answers with. */
export const BORDER_CODES = { notJson: -32700, invalidRequest: -32600, invalidParams: -32602 } as const;

/** A message id that may be echoed; null when the line has none that can be. */
export type MessageId = string | number | null;

/**
 * What becomes of one line of input: a message for the protocol layer, a refusal to answer with, a fault that must not be
 * answered (a notification or a response may not), or nothing at all (a blank line).
 */
export type Verdict =
  | { kind: 'message'; message: JSONRPCMessage }
  | { kind: 'refuse'; id: MessageId; code: number; message: string }
  | { kind: 'drop'; why: string }
  | { kind: 'blank' };

/**
 * More values than this in one message are refused before they are parsed. A legal message has a few thousand; what this
 * stops is one line that needs gigabytes as objects.
 */
const MAX_VALUES = 4_000_000;
const COUNT_FROM_BYTES = 1024 * 1024;

type Json = Record<string, unknown>;

/**
 * Judges one line (bytes, without its newline). Nothing is repaired: bytes that are not UTF-8 are no JSON here (-32700),
 * an object with a `__proto__` key is refused (-32602) instead of losing it. Never throws.
 */
export function judgeLine(bytes: Buffer): Verdict {
  if (!isUtf8(bytes)) return refuse(null, BORDER_CODES.notJson, 'Parse error: the line is not valid UTF-8');
  if (bytes.length >= COUNT_FROM_BYTES && holdsTooManyValues(bytes)) {
    return refuse(null, BORDER_CODES.invalidRequest, `Invalid Request: more than ${MAX_VALUES} values in one message`);
  }
  const text = bytes.toString('utf8');
  if (text.trim() === '') return { kind: 'blank' };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refuse(null, BORDER_CODES.notJson, 'Parse error: the line is not JSON');
  }
  return judgeValue(value);
}

function judgeValue(value: unknown): Verdict {
  if (Array.isArray(value)) {
    return refuse(null, BORDER_CODES.invalidRequest, 'Invalid Request: batches are not part of this protocol; send one object a line');
  }
  if (!isObject(value)) return refuse(null, BORDER_CODES.invalidRequest, 'Invalid Request: a message is a JSON object');
  const id = echoableId(value);
  if (value['jsonrpc'] !== '2.0') return refuse(id, BORDER_CODES.invalidRequest, 'Invalid Request: jsonrpc must be "2.0"');
  if (!Object.hasOwn(value, 'method')) return judgeResponse(value, id);
  if (typeof value['method'] !== 'string') return refuse(id, BORDER_CODES.invalidRequest, 'Invalid Request: method must be a string');
  const isRequest = Object.hasOwn(value, 'id');
  if (isRequest && id === null) {
    return refuse(null, BORDER_CODES.invalidRequest, 'Invalid Request: id must be a string or an integer within ±(2^53−1)');
  }
  const fault = faultOfParams(value);
  if (fault !== null) return isRequest ? refuse(id, BORDER_CODES.invalidParams, fault) : { kind: 'drop', why: fault };
  return isRequest ? asRequest(value, id) : asNotification(value);
}

function faultOfParams(value: Json): string | null {
  if (Object.hasOwn(value, 'params') && !isObject(value['params'])) return 'Invalid params: params must be an object';
  if (holdsProtoKey(value)) return 'Invalid params: an object key "__proto__" is refused';
  const params = isObject(value['params']) ? value['params'] : {};
  switch (value['method']) {
    case 'tools/call':
      return faultOfCall(params);
    case 'tools/list':
      return params['cursor'] === undefined || typeof params['cursor'] === 'string'
        ? null
        : `Invalid params: cursor must be a string; got ${kindOf(params['cursor'])}`;
    case 'initialize':
      return passes(isInitializeRequest, { method: 'initialize', params })
        ? null
        : 'Invalid params: initialize takes protocolVersion (a string), capabilities (an object) and clientInfo (an object with name and version)';
  }
  return null;
}

/** What the protocol layer would answer with the dump of a schema check, or take for a tool that it has. */
function faultOfCall(params: Json): string | null {
  const { name } = params;
  if (typeof name !== 'string') return `Invalid params: name must be a string, the name of a tool; got ${kindOf(name)}`;
  if (name in Object.prototype) return `Tool ${name} not found`;
  if (Object.hasOwn(params, 'arguments') && !isObject(params['arguments'])) {
    return `Invalid params: arguments must be one JSON object, not its text and not a list, or be left out; got ${kindOf(params['arguments'])}`;
  }
  return null;
}

function asRequest(value: Json, id: MessageId): Verdict {
  const message = { jsonrpc: '2.0', id, method: value['method'], ...paramsOf(value) };
  if (passes(isJSONRPCRequest, message)) return { kind: 'message', message };
  return refuse(id, BORDER_CODES.invalidParams, 'Invalid params: params._meta does not have the shape that the protocol requires');
}

function asNotification(value: Json): Verdict {
  const message = { jsonrpc: '2.0', method: value['method'], ...paramsOf(value) };
  return passes(isJSONRPCNotification, message) ? { kind: 'message', message } : { kind: 'drop', why: 'malformed notification' };
}

function judgeResponse(value: Json, id: MessageId): Verdict {
  if (!Object.hasOwn(value, 'result') && !Object.hasOwn(value, 'error')) {
    return refuse(id, BORDER_CODES.invalidRequest, 'Invalid Request: method is missing');
  }
  if (holdsProtoKey(value) || !passes(isJSONRPCResponse, value)) return { kind: 'drop', why: 'malformed response' };
  return { kind: 'message', message: value };
}

/** Members that the protocol does not know are left behind: its own check refuses them without an answer. */
function paramsOf(value: Json): { params?: unknown } {
  return Object.hasOwn(value, 'params') ? { params: value['params'] } : {};
}

/** The SDK's own checks recurse; a message too deep for them is one they do not accept. */
function passes<T>(check: (value: unknown) => value is T, value: unknown): value is T {
  try {
    return check(value);
  } catch {
    return false;
  }
}

/** Walks with its own stack: the depth of hostile input is not the depth of ours. */
function holdsProtoKey(root: unknown): boolean {
  const open: unknown[] = [root];
  while (open.length > 0) {
    const value = open.pop();
    if (Array.isArray(value)) {
      for (const item of value as unknown[]) if (typeof item === 'object' && item !== null) open.push(item);
    } else if (isObject(value)) {
      for (const key of Object.keys(value)) {
        if (key === '__proto__') return true;
        const member = value[key];
        if (typeof member === 'object' && member !== null) open.push(member);
      }
    }
  }
  return false;
}

function echoableId(value: Json): MessageId {
  const id = Object.hasOwn(value, 'id') ? value['id'] : null;
  return typeof id === 'string' || Number.isSafeInteger(id) ? (id as string | number) : null;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function refuse(id: MessageId, code: number, message: string): Verdict {
  return { kind: 'refuse', id, code, message };
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENERS_AND_COMMAS = new Set([0x5b, 0x7b, 0x2c]);

/** Counts what separates or opens values, outside strings. Exact for JSON; for anything else it does not matter. */
function holdsTooManyValues(bytes: Buffer): boolean {
  let count = 0;
  for (let i = 0; i < bytes.length; i += 1) {
    const byte = bytes[i] ?? 0;
    if (byte === QUOTE) i = endOfString(bytes, i);
    else if (OPENERS_AND_COMMAS.has(byte) && (count += 1) > MAX_VALUES) return true;
  }
  return false;
}

function endOfString(bytes: Buffer, start: number): number {
  let end = bytes.indexOf(QUOTE, start + 1);
  while (end !== -1) {
    let slash = end - 1;
    while (bytes[slash] === BACKSLASH) slash -= 1;
    if ((end - 1 - slash) % 2 === 0) return end;
    end = bytes.indexOf(QUOTE, end + 1);
  }
  return bytes.length;
}
