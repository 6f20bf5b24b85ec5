package dev.weir.servlet;

import dev.weir.testkit.HttpCall;
import java.net.http.HttpClient;

/** The filter releases each permit once, by HTTP/2, where clients reset streams and not connections. */
class Http2ContractTest extends ServletContract {
    private final HttpClient shared = HttpClient.newHttpClient();

    @Override
    protected Call start(Scenario scenario) throws Exception {
        return start(HttpClient.newHttpClient(), scenario);
    }

    /* After some failures a server closes the connection, and with it the calls of others. */
    @Override
    protected Call startShared(Scenario scenario) throws Exception {
        return start(shared, scenario);
    }

    /* The first request of a connection asks for HTTP/2 by HTTP/1.1; to abort that one ends the connection. */
    private Call start(HttpClient client, Scenario scenario) throws Exception {
        HttpCall.http2(client, port(), EXEMPT).read(Integer.MAX_VALUE);
        return HttpCall.http2(client, port(), "/" + scenario);
    }
}
