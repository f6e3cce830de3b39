import { chmodSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, existsSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { built, PACKAGE_ROOT } from '../helpers/build.ts';
import { createDatabase, type TestDatabase } from '../helpers/database.ts';
import { runHere } from '../helpers/cli.ts';
import { runNode, type Ended } from '../helpers/process.ts';
import { blocksOf, linksOf, type Block } from './blocks.ts';
import { Session } from './session.ts';
import { missing, stepsOf, type Json, type Names } from './transcript.ts';

/** The type of whole numbers of 64 bits. */
const INT8 = 20;
const MAIN = join(PACKAGE_ROOT, 'dist/cli/main.js');
const read = (path: string): string => readFileSync(join(PACKAGE_ROOT, path), 'utf8');
const PAGES = ['README.md', ...readdirSync(join(PACKAGE_ROOT, 'docs/guides')).map((name) => `docs/guides/${name}`)];

/** Everything a page's blocks share: they are run from its top to its end, as a reader would. */
class Reader {
  readonly folder = mkdtempSync(join(tmpdir(), 'patchdiff-docs-'));
  readonly names: Names = new Map();
  readonly #database: TestDatabase;
  #session: Session | undefined;
  #writer: pg.Client | undefined;

  constructor(database: TestDatabase) {
    // The embedded server's account has to pass.
    chmodSync(this.folder, 0o755);
    this.#database = database;
  }

  /** What a machine with a configured database has in its environment. */
  get env(): Record<string, string> {
    return { HOME: this.folder, DATABASE_URL: this.#database.url('writer') };
  }

  async transcript(block: Block): Promise<void> {
    this.#session ??= await Session.open({ command: process.execPath, args: [MAIN, 'mcp', '--workspace', this.folder], env: this.env });
    const steps = stepsOf(block.text);
    expect(steps.length).toBeGreaterThan(0);
    for (const step of steps) expect(await this.#session.play(step, this.names)).toEqual([]);
  }

  /** Starts the server as the block says, with the clone's own build where `npx` would find the installed command. */
  async hostBlock(command: string, args: string[]): Promise<void> {
    expect([command, args[0], args[1]]).toEqual(['npx', 'patchdiff', 'mcp']);
    const given = args.slice(1).map((argument) => (argument === '<dir>' ? this.folder : argument));
    const session = await Session.open({ command: process.execPath, args: [MAIN, ...given], env: this.env });
    const names = await session.toolNames();
    if (args.includes('workspace')) expect(names).toHaveLength(5);
    else expect(names).toContain('patchdiff_submit_edits');
    await session.close();
  }

  /**
   * Runs statements with psql's `:'name'` filled in, as the auditor or, where the marker says so, as the writer, whose session is one for the
   * page. A last line `-- n rows` says how many they answer, else at least one; `-- n rows: {…}` also what the first holds,
   * `-- n rows: [{…}, …]` what they all hold, over as many comment lines as it takes, and `-- error CODE: {…}` that they fail so, with
   * that DETAIL. A `"$name"` in it is known below.
   */
  async sql(block: Block): Promise<void> {
    const client = block.marker === 'as the writer' ? (this.#writer ??= await this.#database.client('writer')) : await this.#database.client('auditor');
    const text = block.text.replace(/:'(\w+)'/g, (_whole, name: string) => {
      const value = this.names.get(`$${name}`);
      if (typeof value !== 'string') throw new Error(`nothing above gives $${name}`);
      return client.escapeLiteral(value);
    });
    const [, code, detail] = /^-- error (\w{5})(?:: (\{.*\}))?$/m.exec(block.text) ?? [];
    if (code !== undefined) {
      const error = (await client.query(text).catch((thrown: unknown) => thrown)) as { code?: string; detail?: string };
      expect(error.code).toBe(code);
      if (detail !== undefined) expect(missing(JSON.parse(detail) as Json, JSON.parse(error.detail ?? '{}') as Json, this.names)).toEqual([]);
      return;
    }
    const results = [await client.query<Record<string, unknown>>(text)].flat();
    // Whole numbers beyond 32 bits arrive as text.
    const rows = results.flatMap(({ rows: some, fields }) =>
      some.map((row) =>
        Object.fromEntries(fields.map(({ name, dataTypeID }) => [name, dataTypeID === INT8 && row[name] !== null ? Number(row[name]) : row[name]])),
      ),
    );
    const [, promised, shown] = /^-- (\d+) rows?\b(?:: (\{.*\}|\[\{.*\}\]))?/m.exec(block.text.replace(/\n-- {2,}/g, ' ')) ?? [];
    if (promised === undefined) expect(rows.length).toBeGreaterThan(0);
    else expect(rows).toHaveLength(Number(promised));
    if (shown === undefined) return;
    const holds = JSON.parse(shown) as Json;
    if (Array.isArray(holds)) expect(holds).toHaveLength(rows.length);
    expect(missing(holds, (Array.isArray(holds) ? rows : rows[0]) as Json, this.names)).toEqual([]);
  }

  async shell(block: Block): Promise<void> {
    for (const command of this.#filled(block.text).split('\n').flatMap((line) => line.split(' && '))) await this.#command(command);
  }

  /** A text with each `$name` that a transcript above gave; what none gave stays. */
  #filled(text: string): string {
    return text.replace(/\$\w+/g, (name) => {
      const value = this.names.get(name);
      return typeof value === 'string' ? value : name;
    });
  }

  async #command(command: string): Promise<void> {
    const scripts = (JSON.parse(read('package.json')) as { scripts: Record<string, string> }).scripts;
    switch (command) {
      // These would replace the packages that this very test runs on, or start it again: the gate runs them, word by word.
      case 'npm ci':
      case 'npm test':
        expect(read('.ci/run').split('\n')).toContain(command);
        return;
      case 'npm run build':
        expect(scripts['build']).toContain('tsc');
        expect(existsSync(MAIN)).toBe(true);
        return;
      case 'npm run demo': {
        expect(scripts['demo']).toMatch(/ && node dist\/cli\/main[.]js demo$/);
        const env = { PATH: process.env['PATH'], HOME: this.folder, PATCHDIFF_HOME: join(this.folder, 'home') };
        const demo = await runNode([MAIN, 'demo'], { cwd: PACKAGE_ROOT, env });
        await runNode([MAIN, 'db', 'stop'], { cwd: PACKAGE_ROOT, env });
        expect(demo).toMatchObject({ code: 0 });
        return;
      }
      case 'npm install --global .': {
        // `npx` then finds the command from any folder, as the page says.
        const options = { env: { ...process.env, npm_config_prefix: join(this.folder, 'global') }, encoding: 'utf8', stdio: 'pipe' } as const;
        execFileSync('npm', ['install', '--global', '.', '--offline', '--ignore-scripts'], { ...options, cwd: PACKAGE_ROOT });
        const said = execFileSync('npx', ['--offline', '--', 'patchdiff', '--version'], { ...options, cwd: this.folder });
        expect(said.trim()).toBe((JSON.parse(read('package.json')) as { version: string }).version);
        return;
      }
      default: {
        const [name, ...args] = command.replace(/^npx /, '').split(' ');
        expect(name).toBe('patchdiff');
        const env = { PATH: process.env['PATH'], ...this.env };
        expect(await commandHere(args, env, this.folder)).toMatchObject({ code: 0 });
      }
    }
  }

  #put(file: string, content: string | Buffer): void {
    mkdirSync(dirname(join(this.folder, file)), { recursive: true });
    writeFileSync(join(this.folder, file), content);
  }

  async run(block: Block): Promise<void> {
    const [verb, file] = block.marker?.split(' ') ?? [];
    if (verb === 'file') this.#put(file!, `${this.#filled(block.text)}\n`);
    else if (verb === 'bytes') this.#put(file!, Buffer.from(block.text.replaceAll(' ', ''), 'hex'));
    else if (verb === 'holds') expect(readFileSync(join(this.folder, file!)).toString('hex')).toBe(block.text.replaceAll(' ', ''));
    else if (verb === 'becomes') expect(readFileSync(join(this.folder, file!), 'utf8')).toBe(`${block.text}\n`);
    // A test of its own takes the block from the page and runs it.
    else if (verb === 'run-by') expect(read(file!)).toContain(`run-by ${file}`);
    else if (block.language === 'text') await this.transcript(block);
    else if (block.language === 'sql') await this.sql(block);
    else if (block.language === 'sh') await this.shell(block);
    // Its driver comes with the machine, not with npm: the gate runs the page's Python.
    else if (block.language === 'python') expect(read('.ci/run').split('\n')).toContain('node scripts/run.mjs guide-python "$python"');
    else if (block.language === 'json') {
      const config = JSON.parse(block.text) as Record<string, { patchdiff: { command: string; args: string[] } }>;
      const { command, args } = (config['mcpServers'] ?? config['servers'])!.patchdiff;
      await this.hostBlock(command, args);
    } else if (block.language === 'toml') {
      // The two keys are written alike in TOML and JSON.
      const [, command, args] = /^command = (".*")\nargs = (\[.*\])$/m.exec(block.text)!;
      await this.hostBlock(JSON.parse(command!) as string, JSON.parse(args!) as string[]);
    } else throw new Error(`nothing runs a block of kind "${block.language}"`);
  }

  async close(): Promise<void> {
    await this.#session?.close();
    await this.#database.drop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const seen = new Set<string>();

/** The first call of a command is a process, as a reader starts it; its repeats, on whatever page, are the same program inside this one. */
function commandHere(args: string[], env: NodeJS.ProcessEnv, cwd: string): Promise<Ended> {
  const command = args[0] ?? '';
  if (seen.has(command) && command !== 'db') return runHere(args, env, cwd);
  seen.add(command);
  return runNode([MAIN, ...args], { cwd, env });
}

beforeAll(built);

describe.each(PAGES)('%s', (path) => {
  const page = read(path);
  let reader: Reader;

  beforeAll(async () => {
    reader = new Reader(await createDatabase());
  });
  afterAll(() => reader.close());

  test.each(blocksOf(page).map((block) => [block.line, block.language, block] as const))('line %i: %s', async (_line, _language, block) => {
    await reader.run(block);
  });
});

test('every link between pages leads somewhere', () => {
  const folders = ['.', 'docs/spec', 'docs/guides', 'docs/decisions'];
  const pages = folders.flatMap((folder) =>
    readdirSync(join(PACKAGE_ROOT, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => join(folder, name)),
  );
  const dead = pages.flatMap((path) =>
    linksOf(read(path))
      .filter((target) => !existsSync(join(PACKAGE_ROOT, dirname(path), target)))
      .map((target) => `${path} → ${target}`),
  );
  expect(dead).toEqual([]);
});
