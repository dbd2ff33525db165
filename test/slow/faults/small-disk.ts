import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A disk of 20 MiB, in memory. Only root may mount it. */
export class SmallDisk {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  /** Null if it cannot be mounted here. */
  static mount(): SmallDisk | null {
    const path = mkdtempSync(join(tmpdir(), 'fewerbytes-disk-'));
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=20m', 'tmpfs', path], { stdio: 'ignore' });
      return new SmallDisk(path);
    } catch {
      rmSync(path, { recursive: true });
      return null;
    }
  }

  /** Leaves so many bytes free. */
  fill(left = 0): void {
    const { bavail, bsize } = statfsSync(this.path);
    try {
      writeFileSync(this.#filler, Buffer.alloc(Math.max(0, bavail * bsize - left)));
    } catch (error) {
      // The service has written meanwhile: then it is full.
      if (left > 0 || (error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  }

  /** Makes room again. */
  empty(): void {
    rmSync(this.#filler);
  }

  get #filler(): string {
    return join(this.path, 'filler');
  }

  /** From now on, nothing can be written. */
  makeReadOnly(): void {
    execFileSync('mount', ['-o', 'remount,ro', this.path], { stdio: 'ignore' });
  }

  unmount(): void {
    // Also while a process that was killed still has files of it.
    execFileSync('umount', ['--lazy', this.path]);
    rmSync(this.path, { recursive: true });
  }
}
