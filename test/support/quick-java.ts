/** Flags with which a virtual machine of Java starts faster. */
export const QUICK_JAVA: readonly string[] = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];
