package consumers;

import java.net.URI;
import java.time.Duration;

/** A limit that follows a document of an HTTP server. */
public final class HttpSource {
    private HttpSource() {}

    public static void main(String[] args) throws Exception {
        URI address = Documents.at("/" + args[0] + ".yaml");
        Follows.document(
                document -> Documents.put(address, document),
                dev.weir.http.source.HttpSource.builder(address)
                        .readEvery(Duration.ofMillis(50))
                        .build());
    }
}
