// Replaces Intl.Segmenter in the bundle. Creating the first one takes 20 to 30 ms (ICU reads its tables), and a few
// modules create one when they are loaded; the first frame is plain text and needs none. This one is created on first
// use. Obsolete once creating one is cheap: test/bundle/shims.test.ts will detect it.
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
