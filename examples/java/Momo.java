import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;

/** Reads the balance of a mobile money account. */
final class Momo {
    private final HttpClient http = HttpClient.newHttpClient();
    private final URI target;

    Momo(String url, String apikey) {
        target = URI.create(url + "/momo/balance?apikey=" + apikey);
    }

    /** The balance as JSON, for the library of your choice. */
    String balance() throws IOException, InterruptedException {
        var response = http.send(HttpRequest.newBuilder(target).build(), BodyHandlers.ofString());
        if (response.statusCode() != 200) {
            throw new IOException("GET /momo/balance failed with status " + response.statusCode());
        }
        return response.body();
    }
}
