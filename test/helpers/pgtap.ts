import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import pg from 'pg';
import { Parser, type FinalResults } from 'tap-parser';

/** Creates the schema `tap` with pgTAP's functions. pgTAP is one plain SQL file in a package's archive. */
export async function loadPgTap(client: pg.Client): Promise<void> {
  const entry = createRequire(import.meta.url).resolve('@electric-sql/pglite-pgtap');
  const archive = gunzipSync(readFileSync(path.join(path.dirname(entry), 'pgtap.tar.gz')));
  const sql = tarEntry(archive, /pgtap--1\.3\.5\.sql$/)
    .replaceAll('MODULE_PATHNAME', 'pgtap')
    .replace(/^\\.*$/gm, '');
  await client.query('create schema tap; set search_path to tap; set client_min_messages to warning');
  await client.query(sql);
  await client.query('grant usage on schema tap to public; grant execute on all functions in schema tap to public; reset search_path');
}

/** One pgTAP file's outcome: every line it said, and what the TAP parser made of them. */
export interface TapRun {
  lines: string[];
  results: FinalResults;
}

/**
 * Runs one pgTAP file on this connection by the simple protocol, so that the file's own statements end where psql would
 * end them. An SQL error outside pgTAP's own catching becomes a bail-out.
 */
export async function runTapFile(client: pg.Client, file: string): Promise<TapRun> {
  await client.query('set search_path to public, tap; set client_min_messages to warning');
  const parser = new Parser({ name: path.basename(file) });
  const completed = new Promise<FinalResults>((resolve) => parser.on('complete', resolve));
  const lines: string[] = [];
  const say = (text: string) => {
    for (const line of text.split('\n')) {
      lines.push(line);
      parser.write(`${line}\n`);
    }
  };
  await new Promise<void>((resolve) => {
    const query = new pg.Query({ text: readFileSync(file, 'utf8') });
    query.on('row', (row: Record<string, unknown>) => {
      for (const value of Object.values(row)) if (typeof value === 'string' && value !== '') say(value);
    });
    query.on('error', (error) => {
      say(`Bail out! ${error.message}`);
      resolve();
    });
    query.on('end', () => resolve());
    client.query(query);
  });
  parser.end();
  return { lines, results: await completed };
}

function tarEntry(archive: Buffer, name: RegExp): string {
  for (let at = 0; at + 512 <= archive.length;) {
    const entry = archive.toString('utf8', at, at + 100).replace(/\0.*$/s, '');
    if (entry === '') break;
    const size = parseInt(archive.toString('ascii', at + 124, at + 136), 8);
    if (name.test(entry)) return archive.toString('utf8', at + 512, at + 512 + size);
    at += 512 + Math.ceil(size / 512) * 512;
  }
  throw new Error(`the archive has no entry like ${name}`);
}
