// Needs org.testcontainers:testcontainers, org.junit.jupiter:junit-jupiter and Java 17 or newer.
// Replace OWNER. No image is published yet: build yours in a clone of momo-mock, and push it:
//   docker build -t ghcr.io/OWNER/momo-mock:0.1.0 .
//   docker push ghcr.io/OWNER/momo-mock:0.1.0
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;

class MomoMockTest {
  static final GenericContainer<?> momo =
      new GenericContainer<>("ghcr.io/OWNER/momo-mock:0.1.0")
          .withEnv("MOMO_MOCK_API_KEYS", "test_alice")
          .withExposedPorts(8443, 8480)
          .waitingFor(Wait.forHealthcheck());

  static HttpClient client;

  @BeforeAll
  static void start() throws Exception {
    momo.start();
    client = HttpClient.newBuilder().sslContext(trusting(control("/certificate"))).build();
  }

  @AfterAll
  static void stop() {
    momo.stop();
  }

  @Test
  void readsTheBalance() throws Exception {
    var url = "https://localhost:" + momo.getMappedPort(8443) + "/momo/balance?apikey=test_alice";
    var request = HttpRequest.newBuilder(URI.create(url)).build();
    var response = client.send(request, BodyHandlers.ofString());
    assertEquals(200, response.statusCode());
  }

  /** Returns the URL of a path of the control API. */
  static URI control(String path) {
    return URI.create("http://localhost:" + momo.getMappedPort(8480) + path);
  }

  /** Trusts only the certificate at this URL. */
  static SSLContext trusting(URI certificate) throws Exception {
    var store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    try (InputStream pem = certificate.toURL().openStream()) {
      store.setCertificateEntry(
          "momo-mock", CertificateFactory.getInstance("X.509").generateCertificate(pem));
    }
    var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(store);
    var context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    return context;
  }
}
