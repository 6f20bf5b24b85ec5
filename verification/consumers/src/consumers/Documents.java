package consumers;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;

/** The server of documents that the runner has started. */
final class Documents {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private Documents() {}

    static URI at(String path) {
        return URI.create(System.getProperty("documents") + path);
    }

    static void put(URI address, String document) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(address)
                .PUT(BodyPublishers.ofString(document))
                .build();
        Check.expect(200, CLIENT.send(request, BodyHandlers.discarding()).statusCode());
    }
}
