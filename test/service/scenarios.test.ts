import { describe, test } from 'vitest';
import type { JsonObject, Service } from '../../src/service/index.ts';
import { scenarios } from '../scenarios/corpus.ts';
import { play, type Call } from '../scenarios/player.ts';
import { useService } from './support/service.ts';

const context = useService();

/** The tools that a scenario uses, without a border between. */
function callOf(service: Service): Call {
  const tools: Record<string, (args: JsonObject) => Promise<JsonObject>> = {
    patchdiff_initialize_target: (args) => service.initializeTarget(args),
    patchdiff_read_target: (args) => service.readTarget(args),
    patchdiff_read_lines: (args) => service.readLines(args),
    patchdiff_find_occurrences: (args) => service.findOccurrences(args),
    patchdiff_preview: (args) => service.preview(args),
    patchdiff_submit_edits: (args) => service.submit('patchdiff-tx/1', args),
    patchdiff_submit_operations: (args) => service.submit('patchdiff-tx/2', args),
    patchdiff_submit_replacement: (args) => service.submit('patchdiff-tx/3', args),
    patchdiff_get_pdcp_log: (args) => service.getPdcpLog(args),
    patchdiff_replay_target: (args) => service.replayTarget(args),
  };
  return (tool, args) => {
    const run = tools[tool];
    if (run === undefined) throw new Error(`no scenario uses ${tool}`);
    return run(args);
  };
}

describe('scenarios through the service, each submission previewed, keyed and sent twice', () => {
  test.each(scenarios())('$name: $title', async (scenario) => {
    await play(scenario, callOf(context.service), { keyed: true, previewed: true });
  });
});

describe('scenarios through two services that share no cache', () => {
  test.each(scenarios())('$name: $title', async (scenario) => {
    const calls = [callOf(context.service), callOf(context.another())];
    let turn = 0;
    await play(scenario, (tool, args) => (calls[(turn += 1) % 2] as Call)(tool, args), { keyed: true, previewed: false });
  });
});
