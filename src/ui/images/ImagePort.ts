import type { ImageHeader, ImagePart } from '../../protocol/images.ts';

/** Where images come from; `cli` has it. Neither call rejects, and both are bounded in time and size. */
export interface ImagePort {
  /** `path` as the user gave it: absolute, below `~` or below the working directory. */
  read(path: string): Promise<ImageRead>;
  clipboard(): Promise<ImageRead>;
}

export type ImageRead =
  | {
      readonly type: 'image';
      readonly image: ImagePart;
      readonly header: ImageHeader;
      readonly bytes: number;
    }
  /** An image that cannot be sent; why, and what to do. */
  | { readonly type: 'refused'; readonly message: string }
  /** There is none; for the clipboard `message` says how there could be. */
  | { readonly type: 'none'; readonly message?: string };
