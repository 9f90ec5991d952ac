/** The results of `clawdcode doctor` and `/doctor`, and their page: one line per finding, with a fix for problems. */
import { blankLine, hanging, type Page, type PageLine, pageLine, type Role } from './page.ts';

/** The result of one check, as plain data. */
export interface Finding {
  /** Stable identifier for programs: `node`, `terminal.widths`. */
  readonly id: string;
  /** A word or two. */
  readonly label: string;
  /** `missing`: something does not work without it. `warning`: it works, but not as well as it could. */
  readonly state: 'ok' | 'warning' | 'missing';
  /** The value found, on one line. */
  readonly value: string;
  /** How to fix it. */
  readonly fix?: string;
}

/** The results of `clawdcode doctor` and `/doctor`. */
export interface DoctorReport {
  readonly version: string;
  readonly findings: readonly Finding[];
  /** Checks that were skipped, and why; empty if all ran. */
  readonly notes: readonly string[];
}

/** True if nothing required is missing. */
export function isHealthy({ findings }: Pick<DoctorReport, 'findings'>): boolean {
  return findings.every(({ state }) => state !== 'missing');
}

const signs: Readonly<Record<Finding['state'], { readonly sign: string; readonly role: Role }>> = {
  ok: { sign: '✓', role: 'success' },
  warning: { sign: '!', role: 'warning' },
  missing: { sign: '✗', role: 'error' },
};

export function doctorPage({ version, findings, notes }: DoctorReport): Page {
  const labels = Math.max(...findings.map(({ label }) => label.length), 0);
  return (columns) => {
    // In a narrow terminal, the labels do not get a separate column.
    const width = columns < 50 ? 0 : labels + 2;
    return [
      pageLine({ text: `ClawdCode ${version}`, role: 'strong' }),
      blankLine,
      ...findings.flatMap((finding) => findingLines(finding, width)),
      blankLine,
      ...notes.map((text) => hanging(pageLine({ text, role: 'dim' }), 2)),
      verdict(findings),
    ];
  };
}

function findingLines({ label, state, value, fix }: Finding, width: number): readonly PageLine[] {
  const { sign, role } = signs[state];
  const name = width === 0 ? `${label}: ` : label.padEnd(width);
  const hang = width === 0 ? 2 : width + 2;
  const line = pageLine({ text: `${sign} `, role }, { text: name, role: 'strong' }, value);
  const advice =
    fix === undefined ? [] : [hanging(pageLine(' '.repeat(hang), { text: `→ ${fix}`, role }), hang + 2)];
  return [hanging(line, hang), ...advice];
}

function verdict(findings: readonly Finding[]): PageLine {
  const missing = findings.filter(({ state }) => state === 'missing').length;
  const warnings = findings.filter(({ state }) => state === 'warning').length;
  const also = warnings === 0 ? '' : `${warnings} ${warnings === 1 ? 'thing' : 'things'} could be better`;
  if (missing === 0)
    return pageLine({ text: `Ready to work${also === '' ? '.' : `; ${also}.`}`, role: 'success' });
  const needed = `${missing} ${missing === 1 ? 'thing is' : 'things are'} missing`;
  return pageLine({ text: `${needed}${also === '' ? '.' : `; ${also}.`}`, role: 'error' });
}
