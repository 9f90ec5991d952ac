/** The results of `clawdcode doctor` and `/doctor` as plain data, for a page and for programs. */

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
