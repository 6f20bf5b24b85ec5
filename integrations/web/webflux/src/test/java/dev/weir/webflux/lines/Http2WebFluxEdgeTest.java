package dev.weir.webflux.lines;

import dev.weir.testkit.HttpCall;
import java.net.http.HttpClient;
import org.junit.jupiter.api.Tag;

/** The contract of an edge, for streams of HTTP/2 that are reset. */
@Tag("real-time")
class Http2WebFluxEdgeTest extends WebFluxEdgeTest {
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build();

    @Override
    protected Call start(Scenario scenario) {
        return HttpCall.http2(client, port(), "/calls/" + scenario);
    }
}
