import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import javax.net.ssl.SSLContext;

/**
 * GETs each URL that is a line of its input, and prints a line of what came of it:
 * java -Djavax.net.ssl.trustStore=STORE Client
 */
class Client {
  public static void main(String[] args) throws Exception {
    var lines = new BufferedReader(new InputStreamReader(System.in));
    for (var url = lines.readLine(); url != null; url = lines.readLine()) {
      System.out.println(get(URI.create(url)));
    }
  }

  /** Makes a context of its own, since one that has a session with the server checks no more. */
  private static String get(URI uri) throws Exception {
    var context = SSLContext.getInstance("TLS");
    context.init(null, null, null);
    var client = HttpClient.newBuilder().sslContext(context).build();
    try {
      var request = HttpRequest.newBuilder(uri).build();
      return "got " + client.send(request, BodyHandlers.ofString()).body();
    } catch (java.io.IOException failed) {
      return "failed: " + failed;
    }
  }
}
