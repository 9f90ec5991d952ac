// Runs the program's pieces (dist/*.cjs) with the code that V8 compiled in earlier runs. Node's own compile cache keeps
// only what is compiled when a module is loaded, not functions that run later, which would be compiled again at every
// start. Here the code is saved after they have run. Obsolete once Node does this itself: test/bundle/pieces.test.ts
// will detect it.
import { readCode, sumOf } from './codeCache.js';

const { setImmediate } = process.getBuiltinModule('node:timers/promises');
const fs = process.getBuiltinModule('node:fs');
const path = process.getBuiltinModule('node:path');
const vm = process.getBuiltinModule('node:vm');
const { setFlagsFromString } = process.getBuiltinModule('node:v8');

/** Number of runs that add the functions they used of a piece: by then the common paths are covered. */
export const LEARNING_RUNS = 5;
/** With fewer pieces loaded there was only a short answer such as the version, which is not worth saving. */
const WORTH_KEEPING = 20;
/**
 * Characters of a source. Pieces before a larger one are compiled directly: the first frame and answers such as the
 * version need only these, and loading the code to check signatures takes longer (8 ms). The code that parses flags is
 * larger, and what follows it as well.
 */
const SMALL = 40_000;
/** A terminal session may end abruptly, so what it has used is saved after this time. */
const CALM_MS = 10_000;
/**
 * Creating and writing the code takes 50 ms at exit. That is unnoticeable after a run of `LONG_MS` milliseconds;
 * shorter runs save only while fewer than `SHORT_LEARNING_RUNS` runs have added to the code.
 */
const LONG_MS = 3000;
const SHORT_LEARNING_RUNS = 2;
/** The wrapper that Node uses for CommonJS. */
const WRAPPER = ['(function (exports, require, module, __filename, __dirname) {"use strict";', '\n})'];

/** Compiles a piece, with `cachedData` from an earlier run if given. */
export function compilePiece(filename, source, cachedData) {
  return new vm.Script(WRAPPER.join(source), { filename, cachedData });
}

/**
 * Opens the pieces in `folder`. Compiled code is kept at `place` (`{ dataRoot, cwd }`, see `codeCachePlace`), if given.
 * `worthKeeping`: minimum number of loaded pieces. `small`: maximum characters of a source that is not worth a cache
 * lookup. `longMs`: milliseconds from which a run counts as long.
 *
 * - `load(name)`: returns the exports of a piece, which is run once; `file/piece` for one of several in a file.
 * - `setFlags(flags)`: changes flags of V8, each given as `[wanted, usual]`, and restores those given before. V8 rejects
 *   code compiled under other flags, so the usual ones are restored while code is loaded or saved.
 */
export function openPieces(
  folder,
  place,
  { worthKeeping = WORTH_KEEPING, small = SMALL, longMs = LONG_MS } = {},
) {
  /** The cache, once it has been read. */
  let kept;
  const require = process.getBuiltinModule('node:module').createRequire(path.join(folder, 'cli.cjs'));
  const pieces = new Map();
  /** The scripts of the files that have been loaded. */
  const files = new Map();
  /** The number of runs that added to the code of the least learned piece. */
  let learnedRuns = LEARNING_RUNS;
  let flags = [];

  function load(name) {
    const loaded = pieces.get(name);
    if (loaded !== undefined) return loaded.module.exports;
    const [file, inner] = name.split('/');
    const run = inner === undefined ? read(file) : load(file)[inner];
    const module = { exports: {} };
    pieces.set(name, { module });
    try {
      run(module.exports, requireFrom, module, path.join(folder, file), folder);
    } catch (error) {
      // Later calls must fail too, instead of returning a half-loaded module.
      pieces.delete(name);
      throw error;
    }
    // Originally an ES module, so its `default` export must be found.
    Object.defineProperty(module.exports, '__esModule', { value: true });
    return module.exports;
  }

  /** The function of a file, or that of a file of functions: see scripts/bundle/joinPieces.mjs. */
  function read(name) {
    const source = fs.readFileSync(path.join(folder, name), 'utf8');
    if (source.length > small) {
      growYoungGeneration();
      if (place) kept ??= readCode(place, identity(folder));
    }
    const sum = kept && sumOf(source);
    const script = compile(name, source, kept?.find(name, sum));
    files.set(name, { script, sum });
    return script.runInThisContext();
  }

  function requireFrom(name) {
    return name.startsWith('./') ? load(name.slice(2)) : require(name);
  }

  function compile(name, source, known) {
    const script = underUsualFlags(() => compilePiece(path.join(folder, name), source, known?.code));
    if (kept === undefined) return script;
    if (script.cachedDataRejected) kept.forget(name);
    learnedRuns = Math.min(learnedRuns, script.cachedDataRejected ? 0 : (known?.runs ?? 0));
    return script;
  }

  const isLearning = () => learnedRuns < (performance.now() < longMs ? SHORT_LEARNING_RUNS : LEARNING_RUNS);
  const isWorthIt = () => isLearning() && pieces.size >= worthKeeping;
  const isPiece = (name) => fs.existsSync(path.join(folder, name));
  const codeOf = ([name, { script, sum }]) => ({ name, sum, code: script.createCachedData() });
  const worthIt = () => (isWorthIt() ? [...files].filter(([, { sum }]) => sum !== undefined) : []);

  function keepAtEnd() {
    const used = worthIt();
    if (used.length > 0)
      kept.write(
        underUsualFlags(() => used.map(codeOf)),
        isPiece,
      );
  }

  /** One file at a time, since the user may be typing. */
  async function keepMeanwhile() {
    const codes = [];
    for (const file of worthIt()) {
      codes.push(underUsualFlags(() => codeOf(file)));
      await setImmediate();
    }
    if (codes.length > 0) kept.write(codes, isPiece);
  }

  function underUsualFlags(action) {
    for (const [, usual] of flags) setFlagsFromString(usual);
    try {
      return action();
    } finally {
      for (const [wanted] of flags) setFlagsFromString(wanted);
    }
  }

  if (place !== undefined) {
    process.once('exit', keepAtEnd);
    setTimeout(keepMeanwhile, CALM_MS).unref();
  }
  return {
    load,
    setFlags(given) {
      for (const [, usual] of flags) setFlagsFromString(usual);
      flags = given;
      for (const [wanted] of flags) setFlagsFromString(wanted);
    },
  };
}

let hasGrown = false;

/**
 * Lets the young generation grow from one megabyte to six before much is loaded. Otherwise it doubles step by step: seven
 * collections until a short answer instead of two or three, and then, since what is loaded survives all of them, one of
 * the whole heap. V8 lets it grow only after a collection that more than its size survived, so two megabytes are kept
 * for a moment.
 */
function growYoungGeneration() {
  if (hasGrown) return;
  hasGrown = true;
  setFlagsFromString('--semi-space-growth-factor=6');
  Array.from({ length: 32 }, () => new Array(8000).fill(0));
  setFlagsFromString('--semi-space-growth-factor=2');
}

/** Code is valid for one Node version with one set of flags; folders do not share it. */
function identity(folder) {
  return [process.version, process.arch, folder, ...process.execArgv, process.env.NODE_OPTIONS].join('\n');
}
