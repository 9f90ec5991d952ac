/** Checks a session's log completely, in bounded memory, and reports all problems. */
import { createHash } from 'node:crypto';
import { type FileHandle, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { JSONLEntry } from '../../../protocol/entries.ts';
import { blobsOf } from '../../recall/recallText.ts';
import { yieldToEventLoop } from '../../tokens/measured.ts';
import { BlobStore } from '../BlobStore.ts';
import { beforeDamage, folderOfLog } from '../logBytes.ts';
import { linesOf, maxSingleLines, readLine, withoutSeal } from '../logReader.ts';
import { type DamagedLine, gapsBetween, type SeqRange } from './damage.ts';
import { type GarbledValue, repairEntry } from './salvage.ts';

interface VerifyOptions {
  /** Also reads the blobs and compares each with its hash. */
  readonly deep?: boolean;
  /** Maximum items in each list of the report. */
  readonly maxListed?: number;
}

/** `file`: a log or an archive. Rejects only if the file itself cannot be read. */
export async function verifySession(
  file: string,
  { deep = false, maxListed = 1000 }: VerifyOptions = {},
): Promise<VerifyReport> {
  const { size } = await stat(file);
  const chain = new Chain();
  const damaged: DamagedLine[] = [];
  let read = 0;
  for await (const found of scanLog(file)) {
    if ('damage' in found) damaged.push(found.damage);
    else chain.add(found.entry);
    read += 1;
    if (read % 64 === 0) await yieldToEventLoop();
  }
  damaged.sort((a, b) => a.offset - b.offset);
  const blobs = new BlobStore(join(folderOfLog(file), 'blobs'));
  const blobProblems = await checkBlobs(chain.pointers, blobs, deep);
  const lists = { damaged, ...chain.lists(), blobProblems };
  const { gaps, brokenLinks } = lists;
  const shortened = Object.entries(lists).map(([name, list]) => [name, list.slice(0, maxListed)]);
  return {
    file,
    bytes: size,
    entries: chain.entries,
    counts: chain.counts,
    isSorted: chain.isSorted,
    blobs: chain.pointers.size,
    ...(Object.fromEntries(shortened) as typeof lists),
    isShortened: Object.values(lists).some(({ length }) => length > maxListed),
    isDamaged: damaged.length + gaps.length + brokenLinks.length > 0 || !chain.isSorted,
  };
}

/** Checks the chain of entries; keeps only their ids and seqs. */
class Chain {
  entries = 0;
  isSorted = true;
  readonly counts: Record<string, number> = {};
  readonly pointers = new Map<string, Pointer>();
  readonly #seqs: number[] = [];
  readonly #uuids = new Set<string>();
  readonly #duplicates: string[] = [];
  readonly #oddLinks: BrokenLink[] = [];
  readonly #open = new Map<string, UnansweredCall>();
  #last: JSONLEntry | undefined;
  /** A boundary that lost its summary in a crash may be skipped: the next entry refers to the entry before it. */
  #beforeBoundary: string | undefined;

  add(entry: JSONLEntry): void {
    const { uuid, seq, parentUuid } = entry;
    if (this.#uuids.has(uuid)) {
      this.#duplicates.push(uuid);
      return;
    }
    this.#uuids.add(uuid);
    this.#seqs.push(seq);
    this.entries += 1;
    const kind = entry.subtype ?? entry.type;
    this.counts[kind] = (this.counts[kind] ?? 0) + 1;
    for (const pointer of pointersOf(entry))
      if (!this.pointers.has(pointer.hash)) this.pointers.set(pointer.hash, pointer);
    if (this.#last !== undefined && seq <= this.#last.seq) this.isSorted = false;
    if (parentUuid !== (this.#last?.uuid ?? null) && parentUuid !== this.#beforeBoundary)
      this.#oddLinks.push({ seq, parentUuid });
    this.#beforeBoundary = entry.subtype === 'compact_boundary' ? this.#last?.uuid : undefined;
    this.#last = entry;
    if (entry.tool !== undefined)
      this.#open.set(entry.tool.id, { seq, callId: entry.tool.id, tool: entry.tool.name });
    if (entry.toolResult !== undefined) this.#open.delete(entry.toolResult.id);
  }

  lists() {
    const seqs = this.isSorted ? this.#seqs : this.#seqs.sort((a, b) => a - b);
    const last = seqs.at(-1);
    return {
      gaps: last === undefined ? [] : gapsBetween(-1, last + 1, seqs),
      duplicates: this.#duplicates,
      // If lines were moved, only a link to a missing entry is broken.
      brokenLinks: this.#oddLinks.filter(
        ({ parentUuid }) => this.isSorted || (parentUuid !== null && !this.#uuids.has(parentUuid)),
      ),
      unansweredCalls: [...this.#open.values()],
    };
  }
}

// The report of `verifySession`: plain data to print or count.

/** A blob that an entry refers to and that is missing or has changed. */
interface BlobProblem {
  /** Seq of the first entry that refers to it. */
  readonly seq: number;
  readonly hash: string;
  readonly problem: 'missing' | 'wrong size' | 'wrong content';
}

export interface VerifyReport {
  /** Absolute path of the log. */
  readonly file: string;
  readonly bytes: number;
  /** Number of readable entries without duplicates. */
  readonly entries: number;
  /** Their number by `subtype`, or by `type` without one. */
  readonly counts: Readonly<Record<string, number>>;
  /** Lines that are damaged, with their offsets in the file. */
  readonly damaged: readonly DamagedLine[];
  /** Seqs below that of the last entry that no entry has. */
  readonly gaps: readonly SeqRange[];
  /** Uuids that occur more than once; harmless, since each entry is read once. */
  readonly duplicates: readonly string[];
  /** False if lines are not in the order in which they were written; harmless. */
  readonly isSorted: boolean;
  /** Entries whose `parentUuid` is not the entry before them. */
  readonly brokenLinks: readonly BrokenLink[];
  /**
   * Calls without a result. Unless the session is open, a crash interrupted them; they get a result when it is resumed.
   */
  readonly unansweredCalls: readonly UnansweredCall[];
  /** Number of blobs that the session refers to. */
  readonly blobs: number;
  readonly blobProblems: readonly BlobProblem[];
  /** True if a list above was cut. */
  readonly isShortened: boolean;
  /** True if a repair would change something. */
  readonly isDamaged: boolean;
}

interface BrokenLink {
  readonly seq: number;
  readonly parentUuid: string | null;
}

interface UnansweredCall {
  readonly seq: number;
  readonly callId: string;
  readonly tool: string;
}

// Checks whether the blobs that entries refer to exist and are unchanged.

interface Pointer {
  readonly hash: string;
  readonly bytes: number;
  /** Seq of the entry. */
  readonly seq: number;
}

/** All blobs that an entry refers to. */
export function pointersOf(entry: JSONLEntry): readonly Pointer[] {
  const { seq } = entry;
  const shown = blobsOf(entry).map(({ hash, bytes }) => ({ hash, bytes, seq }));
  const { changes = [], kept = [] } = (entry.subtype === 'checkpoint' ? entry.data : undefined) ?? {};
  const states = [...changes, ...kept].flatMap(({ before, after }) => [before, after]);
  const files = states.flatMap((state) =>
    state?.type === 'file' && state.hash !== undefined ? [{ hash: state.hash, bytes: state.bytes, seq }] : [],
  );
  return [...shown, ...files];
}

/** `deep` reads each blob and compares it with its hash. */
async function checkBlobs(
  pointers: ReadonlyMap<string, Pointer>,
  blobs: BlobStore,
  deep: boolean,
): Promise<BlobProblem[]> {
  const problems: BlobProblem[] = [];
  for (const { seq, hash, bytes } of pointers.values()) {
    const problem = await problemOf(blobs, hash, bytes, deep);
    if (problem !== undefined) problems.push({ seq, hash, problem });
  }
  return problems;
}

async function problemOf(
  blobs: BlobStore,
  hash: string,
  bytes: number,
  deep: boolean,
): Promise<BlobProblem['problem'] | undefined> {
  const handle = await blobs.openContent(hash).catch(() => undefined);
  if (handle === undefined) return 'missing';
  try {
    if ((await handle.stat()).size !== bytes) return 'wrong size';
    return !deep || (await hashOf(handle)) === hash ? undefined : 'wrong content';
  } finally {
    await handle.close();
  }
}

/** Undefined if it cannot be read. */
async function hashOf(content: FileHandle): Promise<string | undefined> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of content.createReadStream({ autoClose: false })) hash.update(chunk);
  } catch {
    return undefined;
  }
  return hash.digest('hex');
}

// Reads a log of any size completely, in file order and bounded memory, and reports damage.

type Scanned =
  | {
      readonly entry: JSONLEntry;
      /** Bytes of the intact line; absent for an entry from a damaged line. */
      readonly line?: { readonly offset: number; readonly length: number; readonly isSealed: boolean };
      /** Present for an entry restored from a damaged line and its neighbors. */
      readonly isMended?: true;
    }
  | { readonly damage: DamagedLine };

/** Maximum torn lines that are held until the complete line follows, as after a full disk. */
const maxTorn = 64;

/** May yield an entry more than once; an archive's damage comes last. Rejects only if the file itself cannot be read. */
export async function* scanLog(file: string): AsyncGenerator<Scanned> {
  /** As when the log is loaded, repeated entries do not count as neighbors. */
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
    const salvaged: number[] = [];
    for (const value of garbled) {
      const entry = repairEntry(value, near, after);
      if (entry === undefined) continue;
      salvaged.push(entry.seq);
      near = entry;
      yield { entry, isMended: true };
    }
    let lost = after === undefined ? [] : gapsBetween(before?.seq ?? after.seq - 1, after.seq, salvaged);
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

  let end: DamagedLine | undefined;
  let reached = 0;
  const lines = beforeDamage(linesOf(file), ({ message }) => {
    end = { line: 0, reason: message, offset: reached, bytes: 0, lost: [], isEnd: true };
  });
  for await (const raw of lines) {
    reached = raw.offset + raw.length;
    const read = readLine(raw, (before?.seq ?? -1) + 1);
    const { pieces, reason } = read.seal === 'absent' && isSealed ? withoutSeal(read) : read;
    isSealed ||= read.seal === 'intact';
    const last = spots.at(-1);
    if (reason !== undefined && pieces.length === 0 && last !== undefined && spots.length >= maxSingleLines) {
      spots[spots.length - 1] = { ...last, bytes: reached - last.offset };
      tornBytes.delete(last.offset);
    } else if (reason !== undefined) {
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
  if (end !== undefined) yield { damage: end };
}
