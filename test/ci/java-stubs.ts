import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const JUNIT = 'org/junit/jupiter/api';
const CONTAINERS = 'org/testcontainers/containers';

/** As much of JUnit and Testcontainers as the example uses: no registry for them is asked here. */
const STUBS: Record<string, string> = {
  [`${JUNIT}/Assertions`]: `public class Assertions {
    public static void assertEquals(int expected, int actual) {
      if (expected != actual) throw new AssertionError(expected + " is not " + actual);
    }
  }`,
  ...Object.fromEntries(
    ['BeforeAll', 'AfterAll', 'Test'].map((name) => [
      `${JUNIT}/${name}`,
      `public @interface ${name} {}`,
    ]),
  ),
  [`${CONTAINERS}/wait/strategy/Wait`]: `public class Wait {
    public static Object forHealthcheck() { return null; }
  }`,
  // The container is a mock that runs already: its ports are said by properties.
  [`${CONTAINERS}/GenericContainer`]: `public class GenericContainer<Self> {
    public GenericContainer(String image) {}
    public GenericContainer<Self> withEnv(String name, String value) { return this; }
    public GenericContainer<Self> withExposedPorts(Integer... ports) { return this; }
    public GenericContainer<Self> waitingFor(Object strategy) { return this; }
    public Integer getMappedPort(int port) { return Integer.getInteger("port." + port); }
    public void start() {}
    public void stop() {}
  }`,
};

/** Calls what JUnit would. */
const MAIN = `public class Main {
  public static void main(String[] words) throws Exception {
    MomoMockTest.start();
    new MomoMockTest().readsTheBalance();
    MomoMockTest.stop();
  }
}`;

/** Writes the stand-ins, and a class \`Main\` that runs the test; gives the paths. */
export function writeStubs(folder: string): string[] {
  const sources = Object.entries(STUBS).map(([name, text]) => {
    const file = join(folder, `${name}.java`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `package ${dirname(name).replaceAll('/', '.')};\n${text}\n`);
    return file;
  });
  const main = join(folder, 'Main.java');
  writeFileSync(main, MAIN);
  return [...sources, main];
}
