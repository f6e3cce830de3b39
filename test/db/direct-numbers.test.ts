import { expect, test } from 'vitest';
import { encodeCanonical } from '../../src/transaction/index.ts';
import { useDatabase } from '../helpers/database.ts';
import { Random } from '../helpers/random.ts';

const database = useDatabase();
const SPECIAL = ['0', '-0', '-0.0e9', '1e21', '1e-7', '23e21', '5e-324', '4.9e-324', '2e-324', '1e-400', '1.7976931348623157e308', '17976931348623157e292']
  .concat(['9007199254740991', '9007199254740993', '-9223372036854775808', '9223372036854775807', '0.1', '2.50', '1E+2', '-12e-1'])
  .concat([`1${'0'.repeat(300)}`, `0.${'0'.repeat(400)}1`, `0.${'0'.repeat(400)}1e400`, `1${'0'.repeat(400)}e-400`, '0e999999999999', '1e-999999999999']);

test('a number of a direct call stands in its record as a runtime would write it', async () => {
  const random = new Random(20_261_130);
  const digits = (most: number): string => random.text(Array.from('0123456789'), 1 + random.below(most));
  const numbers = Array.from({ length: 4000 }, () => {
    const whole = digits(20).replace(/^0+(?=\d)/, '');
    const fraction = random.chance(0.3) ? `.${digits(20)}` : '';
    const power = random.chance(0.5) ? `${random.pick(['e', 'E', 'e+', 'e-'])}${String(random.below(random.chance(0.1) ? 280 : 30))}` : '';
    return `${random.chance(0.2) ? '-' : ''}${whole}${fraction}${power}`;
  }).concat(SPECIAL);
  const admin = await database.client('admin');
  const { rows } = await admin.query<{ sent: string; kept: string }>(
    `select n as sent, patchdiff_store.number_json('p', n) as kept from unnest($1::text[]) as n`,
    [numbers],
  );
  expect(rows).toEqual(numbers.map((sent) => ({ sent, kept: encodeCanonical(JSON.parse(sent) as number) })));
});
