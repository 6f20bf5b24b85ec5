package dev.weir.samples;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** The operator of the application of {@link BootDemo}, by its endpoint. */
final class BootOperator {
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final URI endpoint;
    private final Duration timeout;

    BootOperator(URI application, Duration timeout) {
        endpoint = application.resolve("/actuator/weir");
        this.timeout = timeout;
    }

    /** Waits until the application answers; false if its process ends before. */
    boolean awaitStarted(Process process) throws InterruptedException {
        while (process.isAlive()) {
            try {
                http.send(request("").build(), BodyHandlers.discarding());
                return true;
            } catch (IOException notYet) {
                TimeUnit.MILLISECONDS.sleep(50);
            }
        }
        return false;
    }

    /** Overrides a limit. */
    void override(String name, String patch) throws IOException, InterruptedException {
        String body = "{\"patch\":\"" + patch + "\",\"duration\":\"1m\",\"who\":\"demo\",\"why\":\"fewer at once\"}";
        operate(request("/" + name).header("Content-Type", "application/json").POST(BodyPublishers.ofString(body)));
    }

    /** Ends the override. */
    void endOverride(String name) throws IOException, InterruptedException {
        operate(request("/" + name).DELETE());
    }

    private void operate(HttpRequest.Builder request) throws IOException, InterruptedException {
        HttpResponse<String> response = http.send(request.build(), BodyHandlers.ofString());
        if (response.statusCode() / 100 != 2) {
            throw new IOException("the endpoint answers " + response.statusCode() + ": " + response.body());
        }
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(endpoint + path)).timeout(timeout);
    }
}
