import type { JsonObject } from '../service/common/types.ts';
import { clipped, plain, printable, short, type Output } from './output.ts';

type Row = Record<string, unknown>;

/** An accepted submission for people: what moved, change by change, and what is worth a second look. */
export function renderAccepted(output: Output, result: JsonObject): string {
  const { green } = output.colors;
  const again = result['deduplicated'] === true ? ' (recorded before; nothing new was done)' : '';
  const versions = `version ${plain(result['before_version'])} → ${plain(result['version'])}, hash ${short(result['after_hash'])}`;
  return [
    `${green('accepted')}: ${versions}${again}`,
    ...changeLines(result),
    ...warningLines(output, result),
    `attempt ${plain(result['pdcp_log_id'])}`,
  ].join('\n');
}

/** What a submission would come to, for people: the diff is the answer. */
export function renderForeseen(output: Output, result: JsonObject): string {
  const { green, dim } = output.colors;
  if (result['status'] === 'would_recover') {
    const recorded = (result['recorded'] ?? {}) as Row;
    return `would recover: this client_request_id stands for attempt ${plain(recorded['pdcp_log_id'])}, ${plain(recorded['status'])}; nothing new would be done`;
  }
  const versions = `version ${plain(result['version'])} → ${plain(result['after_version'])}, hash ${short(result['after_hash'])}`;
  const coarse = result['diff_coarse'] === true ? [dim('coarse: unchanged lines may be shown as removed and added again')] : [];
  const omitted = result['omitted'] === null ? [] : [dim(`left out: ${plain(result['omitted'])}`)];
  return [
    `${green('would accept')}: ${versions}`,
    ...warningLines(output, result),
    ...diffLines(output, plain(result['diff'])),
    ...coarse,
    ...omitted,
  ].join('\n');
}

/** The evidence of a refusal for people, below the reason and above the next step. */
export function renderEvidence(output: Output, result: JsonObject): string[] {
  const { dim } = output.colors;
  const diagnostic = (result['diagnostic'] ?? {}) as Row;
  const search = (result['near_miss_search'] ?? {}) as Row;
  const explanation = search['explanation'] as Row | undefined;
  const candidates = ((diagnostic['exact_candidates'] ?? []) as Row[]).map(
    (place) =>
      `${plain(place['occurrence_index'])}  line ${plain(place['line'])}  ${plain(place['start'])}..${plain(place['end'])}  ` +
      `${printable(plain(place['before']))}⟦…⟧${printable(plain(place['after']))}`,
  );
  const nearMisses = ((result['near_misses'] ?? []) as Row[]).map(
    (miss) =>
      `near miss on line ${plain(miss['line'])}, ${plain(miss['start'])}..${plain(miss['end'])}: "${clipped(plain(miss['text']))}" ${dim(printable(plain(miss['diff'])))}`,
  );
  const actual = diagnostic['actual_text'];
  const there = typeof actual === 'string' ? [`actual_text: ${actual === '' ? 'nothing stands there' : `"${clipped(actual)}"`}`] : [];
  const attempt = typeof result['pdcp_log_id'] === 'string' ? [dim(`recorded as attempt ${result['pdcp_log_id']}`)] : [];
  const why = explanation === undefined ? [] : [printable(plain(explanation['message']))];
  return [...there, ...candidates, ...why, ...nearMisses, ...attempt];
}

function changeLines(result: JsonObject): string[] {
  const { changes } = (result['evidence'] ?? {}) as { changes?: Row[] };
  return (changes ?? []).map(
    (change) =>
      `  ${plain(change['change_id'])}  ${plain(change['operation'])} at ${plain(change['span_start'])}: ` +
      `${plain(change['matched_chars'])} code points became ${plain(change['replacement_chars'])}`,
  );
}

function warningLines(output: Output, result: JsonObject): string[] {
  const warnings = (result['warnings'] ?? []) as Row[];
  return warnings.map((warning) => output.colors.yellow(`  warning: ${plain(warning['code'])} ${plain(warning['change_id'])}`.trimEnd()));
}

function diffLines(output: Output, diff: string): string[] {
  const { green, red, cyan } = output.colors;
  return diff
    .split('\n')
    .filter((line, index, all) => line !== '' || index < all.length - 1)
    .map((line) => {
      const shown = printable(line);
      if (line.startsWith('+')) return green(shown);
      if (line.startsWith('-')) return red(shown);
      return line.startsWith('@@') ? cyan(shown) : shown;
    });
}
