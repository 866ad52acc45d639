// Without this file, vitest uses the configuration of the clone of momo-mock around this folder.
export default {};
