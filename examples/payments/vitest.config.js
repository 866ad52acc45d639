// Within a clone of momo-mock, vitest would otherwise take the configuration of that.
export default {};
