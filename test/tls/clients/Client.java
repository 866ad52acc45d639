import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;

/** GETs a URL: java -Djavax.net.ssl.trustStore=STORE Client URL */
class Client {
  public static void main(String[] args) throws Exception {
    var request = HttpRequest.newBuilder(URI.create(args[0])).build();
    System.out.println(HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).body());
  }
}
