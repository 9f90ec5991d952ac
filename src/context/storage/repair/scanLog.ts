/** Reads a log of any size completely, in file order and bounded memory, and reports damage. */
import type { JSONLEntry } from '../../../protocol/entries.ts';
import { linesOf, readLine, withoutSeal } from '../logReader.ts';
import { type DamagedLine, gapsBetween } from './damage.ts';
import { type GarbledValue, repairEntry } from './salvage.ts';

type Scanned =
  | {
      readonly entry: JSONLEntry;
      /** Bytes of the intact line; absent for an entry from a damaged line. */
      readonly line?: { readonly offset: number; readonly length: number; readonly isSealed: boolean };
      /** Present for an entry restored from a damaged line and its neighbours. */
      readonly isMended?: true;
    }
  | { readonly damage: DamagedLine };

/** Maximum torn lines that are held until the complete line follows, as after a full disk. */
const maxTorn = 64;

/** May yield an entry more than once. Rejects only if the file itself cannot be read. */
export async function* scanLog(file: string): AsyncGenerator<Scanned> {
  /** As when the log is loaded, repeated entries do not count as neighbours. */
  const known = new Set<string>();
  let before: JSONLEntry | undefined;
  let isSealed = false;
  let garbled: GarbledValue[] = [];
  /** Damage since the last intact entry. */
  let spots: Omit<DamagedLine, 'lost'>[] = [];
  let torn: { readonly bytes: Buffer; readonly damage: DamagedLine }[] = [];
  const tornBytes = new Map<number, Buffer>();

  /** Resolves pending values and damage before this entry or before the end of the file. */
  function* settle(after: JSONLEntry | undefined): Generator<Scanned> {
    let near = before;
    const mended: number[] = [];
    for (const value of garbled) {
      const entry = repairEntry(value, near, after);
      if (entry === undefined) continue;
      mended.push(entry.seq);
      near = entry;
      yield { entry, isMended: true };
    }
    let lost = after === undefined ? [] : gapsBetween(before?.seq ?? after.seq - 1, after.seq, mended);
    for (const spot of spots) {
      const damage = { ...spot, lost };
      const bytes = tornBytes.get(spot.offset);
      if (bytes === undefined) yield { damage };
      else torn.push({ bytes, damage });
      lost = [];
    }
    garbled = [];
    spots = [];
    tornBytes.clear();
    while (torn.length > maxTorn) {
      const [oldest] = torn.splice(0, 1);
      if (oldest !== undefined) yield { damage: oldest.damage };
    }
  }

  for await (const raw of linesOf(file)) {
    const read = readLine(raw, (before?.seq ?? -1) + 1);
    const { pieces, reason } = read.seal === 'absent' && isSealed ? withoutSeal(read) : read;
    isSealed ||= read.seal === 'intact';
    if (reason !== undefined) {
      spots.push({ line: raw.number, reason, offset: raw.offset, bytes: raw.length });
      if (pieces.length === 0 && raw.bytes.length > 0 && tornBytes.size < maxTorn)
        tornBytes.set(raw.offset, raw.bytes);
    }
    for (const piece of pieces) {
      if ('garbled' in piece) {
        garbled.push(piece.garbled);
        continue;
      }
      if (!known.has(piece.entry.uuid)) {
        known.add(piece.entry.uuid);
        yield* settle(piece.entry);
        before = piece.entry;
      }
      const line = { offset: raw.offset, length: raw.length, isSealed: read.seal === 'intact' };
      yield reason === undefined ? { entry: piece.entry, line } : { entry: piece.entry };
    }
    if (reason === undefined && torn.length > 0)
      torn = torn.filter(({ bytes }) => !bytes.equals(raw.bytes.subarray(0, bytes.length)));
  }
  yield* settle(undefined);
  for (const { damage } of torn) yield { damage };
}
