/** What the package exports: tests import it from here, so that only this folder knows of src. */
export * from '../../src/index.ts';
