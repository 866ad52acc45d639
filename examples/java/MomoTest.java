import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;

/** Tests Momo without a test library. With JUnit, each check would be a method. */
final class MomoTest {
    static final String URL = System.getenv("MOMO_MOCK_URL");
    static final String CONTROL = System.getenv("MOMO_MOCK_CONTROL_URL");
    /** A key for this test only, so tests can run concurrently. */
    static final String KEY = "test_java_" + ProcessHandle.current().pid();

    public static void main(String[] arguments) throws Exception {
        control("POST", "/accounts", "{\"apiKey\":\"" + KEY + "\"}", null);

        control("PUT", "/balance", "{\"balance\":500}", KEY);
        check("reads the balance", new Momo(URL, KEY).balance().equals("{\"balance\":500}"));
        control("POST", "/verify", "{\"path\":\"/momo/balance\",\"times\":1}", KEY);

        control("PUT", "/responses", "{\"status\":503}", KEY);
        check("reports that the service is down", problem(KEY).contains("503"));

        control("PUT", "/responses", "{\"fault\":\"reset\",\"times\":\"always\"}", KEY);
        check("reports that the connection broke", !problem(KEY).equals("none"));

        check("reports that the key is wrong", problem("wrong").contains("401"));

        control("DELETE", "/accounts", "", KEY);
    }

    static void control(String method, String path, String body, String apikey) throws Exception {
        var request = HttpRequest.newBuilder(URI.create(CONTROL + path))
            .method(method, BodyPublishers.ofString(body))
            .header("content-type", "application/json");
        if (apikey != null) request.header("apikey", apikey);
        var response = HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofString());
        if (response.statusCode() >= 400) throw new IOException(response.body());
    }

    static String problem(String apikey) throws InterruptedException {
        try {
            new Momo(URL, apikey).balance();
            return "none";
        } catch (IOException problem) {
            return problem.toString();
        }
    }

    static void check(String what, boolean holds) {
        System.out.println((holds ? "ok" : "FAILED") + " - " + what);
        if (!holds) System.exit(1);
    }
}
