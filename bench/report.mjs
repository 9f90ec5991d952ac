// The table: ours, as a multiple of an empty Node, the goal, and the peers.
import { median } from './parts/numbers.mjs';
import { peerNames, peers } from './peers.mjs';

/** `results`: for each row its values, and of times those of the empty Node in the same rounds. */
export function renderReport(results) {
  const lines = [
    ['', 'ours', 'lowest – highest', '× node', 'goal', '', ...peerNames],
    ...results.map(({ row, values, ratios }) => {
      const show = (value) => number(value, row.digits ?? 0);
      const middle = median(values);
      return [
        row.label,
        `${show(middle)} ${row.unit}`.trim(),
        values.length === 1 ? '' : `${show(Math.min(...values))} – ${show(Math.max(...values))}`,
        ratios === undefined ? '' : median(ratios).toFixed(2),
        row.aim === undefined
          ? ''
          : `${row.isMore === true ? '' : '≤ '}${number(row.aim, row.aim % 1 === 0 ? 0 : 1)}`,
        verdict(row, middle),
        ...(peers[row.peer] ?? []).map((value) => number(value, value % 1 === 0 ? 0 : (row.digits ?? 1))),
      ];
    }),
  ];
  const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)));
  return lines
    .map((line) =>
      widths
        .map((width, at) => (at === 0 ? (line[at] ?? '').padEnd(width) : (line[at] ?? '').padStart(width)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function verdict({ aim, isMore }, value) {
  if (aim === undefined) return '';
  return (isMore === true ? value >= aim : value <= aim) ? 'met' : 'missed';
}

function number(value, digits) {
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
