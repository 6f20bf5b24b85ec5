package consumers;

import dev.weir.algorithms.Semaphore;
import dev.weir.config.LimiterRegistry;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;

/** The console of a registry: its page, and a limit that it shows to who has the token. */
public final class Console {
    private Console() {}

    public static void main(String[] args) throws Exception {
        LimiterRegistry limits = LimiterRegistry.builder().build();
        limits.limiter("orders", new Semaphore(20));
        dev.weir.console.Console console = dev.weir.console.Console.start(limits);
        try {
            URI page = console.uri();
            Check.expect(200, ask(HttpRequest.newBuilder(page)).statusCode());
            Check.expect(
                    401, ask(HttpRequest.newBuilder(page.resolve("api/rows"))).statusCode());
            String token = Files.readString(console.tokenFile()).strip();
            String cookie = ask(HttpRequest.newBuilder(page.resolve("api/session"))
                            .header("Origin", "http://" + page.getAuthority())
                            .header("Sec-Fetch-Site", "same-origin")
                            .header("Content-Type", "application/json")
                            .POST(HttpRequest.BodyPublishers.ofString("{\"token\":\"" + token + "\"}")))
                    .headers()
                    .firstValue("Set-Cookie")
                    .orElseThrow();
            String rows = ask(HttpRequest.newBuilder(page.resolve("api/rows")).header("Cookie", cookie.split(";")[0]))
                    .body();
            Check.expect(true, rows.contains("\"name\":\"orders\",\"kind\":\"concurrency\",\"limit\":20"));
        } finally {
            console.close();
            limits.close();
        }
    }

    private static HttpResponse<String> ask(HttpRequest.Builder request) throws Exception {
        return HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
    }
}
