package dev.weir.testservers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URL;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A {@code prometheus} on a free port of 127.0.0.1 that scrapes one address each second. Thread-safe. */
public final class PrometheusServer extends ProgramServer {
    private static final int MILLIS = 10_000;

    private PrometheusServer(int port, Path directory) {
        super(
                port,
                ServerProcess.of(
                        directory,
                        List.of(
                                Server.PROMETHEUS.command(),
                                "--config.file=" + directory.resolve("prometheus.yml"),
                                "--storage.tsdb.path=" + directory.resolve("data"),
                                "--web.listen-address=127.0.0.1:" + port,
                                "--log.level=warn")));
    }

    /**
     * A running server.
     *
     * @param metrics where it scrapes, such as {@code http://127.0.0.1:9000/metrics}
     * @param rules files of rules that it evaluates each second
     */
    public static PrometheusServer scraping(URI metrics, Path... rules) {
        StringBuilder config = new StringBuilder("""
                global: { scrape_interval: 1s, evaluation_interval: 1s }
                scrape_configs:
                  - job_name: weir
                    metrics_path: %s
                    static_configs: [ { targets: [ '%s' ] } ]
                rule_files:
                """.formatted(metrics.getPath(), metrics.getAuthority()));
        for (Path file : rules) {
            config.append("  - '").append(file.toAbsolutePath()).append("'\n");
        }
        Path directory = ServerProcess.newDirectory("prometheus");
        try {
            Files.writeString(directory.resolve("prometheus.yml"), config);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return started(new PrometheusServer(ServerProcess.freePort(), directory));
    }

    /** {@code http://127.0.0.1:PORT}. */
    public String uri() {
        return "http://127.0.0.1:" + port();
    }

    /** The value of a parameter of its interface. */
    public static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    /**
     * The answer as JSON, also if that says what is wrong.
     *
     * @param path with its parameters, such as {@code /api/v1/query?query=up}
     */
    public String get(String path) {
        try {
            HttpURLConnection connection = (HttpURLConnection) new URL(uri() + path).openConnection();
            connection.setConnectTimeout(MILLIS);
            connection.setReadTimeout(MILLIS);
            try (var body =
                    connection.getResponseCode() < 400 ? connection.getInputStream() : connection.getErrorStream()) {
                return new String(body.readAllBytes(), StandardCharsets.UTF_8);
            } finally {
                connection.disconnect();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    boolean isReady() {
        try {
            return get("/-/ready").contains("Ready");
        } catch (UncheckedIOException e) {
            return false;
        }
    }
}
