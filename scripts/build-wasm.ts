/** Builds all WebAssembly that the service links: the published codecs and the kernels of its own. */
import './build-codecs.ts';
import './build-kernels.ts';
