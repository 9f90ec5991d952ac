// Stands in for Intl.Segmenter in the bundle. Making the first one costs 20 to 30 ms (ICU reads its tables), and a
// handful of modules make one when they are loaded; the first frame is plain text and needs none. This one is made
// when it is first used. Not needed any more when making one is cheap: test/bundle/shims.test.ts will say so.
const { Segmenter } = globalThis.Intl;

export class LazySegmenter {
  #arguments;
  #segmenter;

  constructor(...given) {
    this.#arguments = given;
  }

  segment(text) {
    return this.#real().segment(text);
  }

  resolvedOptions() {
    return this.#real().resolvedOptions();
  }

  #real() {
    this.#segmenter ??= new Segmenter(...this.#arguments);
    return this.#segmenter;
  }
}
