import { existsSync, readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { SettingError } from './setting-error.ts';

/**
 * The settings of one service of libpq's connection service file, by libpq's keywords. Looked for in `PGSERVICEFILE`,
 * ~/.pg_service.conf, `PGSYSCONFDIR`/pg_service.conf. Throws SettingError when no file has the service, as libpq does.
 */
export function serviceSettings(service: string, env: NodeJS.ProcessEnv): Record<string, string> {
  const files = [
    env['PGSERVICEFILE'] || path.join(os.homedir(), '.pg_service.conf'),
    path.join(env['PGSYSCONFDIR'] || '/etc/postgresql-common', 'pg_service.conf'),
  ];
  for (const file of files) {
    const settings = existsSync(file) ? sectionOf(readFileSync(file, 'utf8'), service) : null;
    if (settings) return settings;
  }
  throw new SettingError(`PGSERVICE names "${service}", which is in none of ${files.join(', ')}`);
}

function sectionOf(text: string, service: string): Record<string, string> | null {
  let settings: Record<string, string> | null = null;
  for (const line of text.split('\n').map((raw) => raw.trim())) {
    if (line === '' || line.startsWith('#')) continue;
    const section = /^\[(.*)\]$/.exec(line)?.[1];
    if (section !== undefined) {
      if (settings) return settings;
      if (section === service) settings = {};
      continue;
    }
    const at = line.indexOf('=');
    if (settings && at > 0) settings[line.slice(0, at).trim()] = line.slice(at + 1).trim();
  }
  return settings;
}
