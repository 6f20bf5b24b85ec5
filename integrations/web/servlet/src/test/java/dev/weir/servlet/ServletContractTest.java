package dev.weir.servlet;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.http.Routes;
import dev.weir.testkit.EdgeContract.Scenario;
import dev.weir.testkit.HttpCall;
import jakarta.servlet.Filter;
import java.net.http.HttpClient;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The load of the contract finds a filter that loses few permits of many. */
@Tag("nightly")
@Tag("real-time")
class ServletContractTest {
    private static final int STREAMS = 4_000;

    /* Its limit is so high that what is lost stops no client. */
    private static class Twin extends ServletContract {
        @Override
        Filter filter(Routes routes) {
            return new ListenerAfterwards(routes, false);
        }

        @Override
        String limit() {
            return "many";
        }

        boolean loses() throws Exception {
            open();
            try {
                load(List.of(Scenario.STREAM), STREAMS);
                return false;
            } catch (AssertionError e) {
                return view().snapshot().inFlight() > 0;
            } finally {
                close();
            }
        }
    }

    private static final class Http2Twin extends Twin {
        private final HttpClient shared = HttpClient.newHttpClient();

        @Override
        protected Call start(Scenario scenario) throws Exception {
            HttpCall.http2(shared, port(), EXEMPT).read(Integer.MAX_VALUE);
            return HttpCall.http2(shared, port(), "/" + scenario);
        }
    }

    /* Tomcat shows it by HTTP/1.1, Jetty by HTTP/2, where it tells of some errors and then of no completion. */
    @Test
    void brokenTwin_aListenerAfterTheChain() throws Exception {
        assertTrue(new Twin().loses() || new Http2Twin().loses() || new Http2Twin().loses());
    }
}
