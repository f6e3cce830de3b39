import { randomUUID } from 'node:crypto';
import type { ObserveScopes } from '../../../src/db/calls/observe-scopes.ts';
import type { Random } from '../../helpers/random.ts';
import { sha256 } from './attacks.ts';
import { rewritten } from './bundle-attacks.ts';

type Attack = (call: ObserveScopes, random: Random) => ObserveScopes;

const scopes = (from: string | RegExp, ...to: string[]): Attack => (call, random) => ({ ...call, scopes: rewritten(call.scopes, from, random.pick(to)) });

/** Each turns the arguments of an honest observation into misuse, or into what another caller would mean by them. */
export const OBSERVATION_ATTACKS: Record<string, Attack> = {
  'no array': (call, random) => ({ ...call, scopes: random.pick(['{}', 'null', '5', '"x"', '[]', '[[]]', '[null]', '[5]', `{"0":${call.scopes}}`]) }),
  'nothing at all': (call) => ({ ...call, scopes: null as unknown as string }),
  'a place of another kind': scopes(/"start":\d+/, '"start":null', '"start":"0"', '"start":true', '"start":[0]', '"start":0.5', '"start":-0', '"start":0e0', '"start":0.0'),
  'a place beyond every text': scopes(/"end":\d+/, '"end":300', '"end":1048576', '"end":1073741824', '"end":2147483648', '"end":9007199254740991', '"end":9007199254740992', '"end":1e300', '"end":1e400000', `"end":${'9'.repeat(400)}`),
  'a negative place': scopes(/"start":\d+/, '"start":-1', '"start":-9007199254740991'),
  'a place twice': scopes(/"start":(\d+)/, '"start":0,"start":$1', '"start":$1,"start":0', '"start":9007199254740991,"start":$1'),
  'a text of its own': scopes('"start":', '"text":"forged","start":', '"scope_id":"0","start":', '"sha256":"0","start":', '"first_line":1,"start":'),
  'a member less': scopes(/"kind":"\w+",/, ''),
  'words that are none': scopes('"name":"', '"name":5,"name":{"a":"', '"name":null,"kind":"', '"name":"\\ud800', '"name":"\\u0000', '"name":"\\udfff\\ud800'),
  'words too long': (call, random) => ({ ...call, scopes: rewritten(call.scopes, '"name":"', `"name":"${'é'.repeat(random.pick([511, 513, 100_000]))}`) }),
  'a scope twice': (call) => ({ ...call, scopes: call.scopes.replace(/^\[(\{[^}]*\})/, '[$1,$1') }),
  'too many scopes': (call, random) => ({ ...call, scopes: `[${Array.from({ length: random.pick([201, 20_000]) }, (_, at) => `{"kind":"k${at}","name":"","qualified_path":"","start":0,"end":1}`).join()}]` }),
  'nesting beyond the stack': (call) => ({ ...call, scopes: `${'['.repeat(50_000)}${']'.repeat(50_000)}` }),
  'nesting in a scope': scopes('"start":', `"x":${'['.repeat(5_000)}${']'.repeat(5_000)},"start":`),
  'a grammar that is none': (call, random) => ({ ...call, grammar: random.pick(['null', '5', '[]', '{}', '""', '{"name":"","version":"1","sha256":null}', '{"name":"g","version":1,"sha256":null}', '{"name":"g","version":"1","sha256":"x"}', '{"name":"g","version":"1","sha256":null,"more":1}', '{"name":"\\u0000","version":"1","sha256":null}', `{"name":"g","version":"1","sha256":"${'A'.repeat(64)}"}`]) }),
  'no grammar': (call) => ({ ...call, grammar: null as unknown as string }),
  'a grammar with quotes and breaks': (call) => ({ ...call, grammar: '{"name":"\\"g\\\\@\\n\\u001f😀","version":"\\u2028@1","sha256":null}' }),
  'a language that is none': (call, random) => ({ ...call, language: random.pick(['', 'x'.repeat(65), '😀'.repeat(64), "'; drop table x; --"]) }),
  'a hash that is none': (call, random) => ({ ...call, expectedHash: random.pick(['', 'x', call.expectedHash.toUpperCase(), `${call.expectedHash}\n`, ` ${call.expectedHash}`]) }),
  'another hash': (call) => ({ ...call, expectedHash: sha256('another') }),
  'another version': (call, random) => ({ ...call, expectedVersion: random.pick([-1, 77_777, 9_007_199_254_740_991, call.expectedVersion + 1]) }),
  'no version': (call) => ({ ...call, expectedVersion: null as unknown as number }),
  'an unknown target': (call) => ({ ...call, targetFileId: randomUUID() }),
  'an actor beyond bounds': (call, random) => ({ ...call, actor: random.pick([JSON.stringify('x'.repeat(9_000)), '"\\u0000"', '{"host":"\\ud800"}', '[1e400000]']) }),
  'errors unknown': (call) => ({ ...call, hasErrors: null as unknown as boolean }),
};
