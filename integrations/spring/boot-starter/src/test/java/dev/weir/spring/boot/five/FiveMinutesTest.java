package dev.weir.spring.boot.five;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.Permit;
import dev.weir.config.LimiterRegistry;
import dev.weir.named.NamedLimiter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * docs/start/spring-boot.md, as its reader does it: its configuration is that of the application, its commands are run one after
 * the other, and each line that it shows is in the answer; {@code ...} stands for what varies.
 */
@Tag("real-time")
class FiveMinutesTest {
    private static final Path PAGE = Path.of("../../../docs/start/spring-boot.md");

    /** What curl is given: its options with their values, and the address. */
    private static final Pattern ARGUMENT = Pattern.compile("(-[iXHd]) ?|'([^']*)'|(\\S+)");

    private record Step(String command, List<String> shown) {}

    private static List<String> blocks(String language) throws Exception {
        return Pattern.compile("(?s)```" + language + "\n(.*?)```")
                .matcher(Files.readString(PAGE))
                .results()
                .map((MatchResult found) -> found.group(1))
                .toList();
    }

    private static List<Step> steps() throws Exception {
        List<Step> steps = new ArrayList<>();
        for (String block : blocks("console")) {
            for (String line : block.lines().toList()) {
                if (line.startsWith("$ ")) {
                    steps.add(new Step(line.substring(2), new ArrayList<>()));
                } else if (!line.isBlank()) {
                    steps.get(steps.size() - 1).shown().add(line);
                }
            }
        }
        return steps;
    }

    @Test
    void eachCommandAnswersWhatThePageShows(@TempDir Path folder) throws Exception {
        try (ConfigurableApplicationContext shop = started(folder)) {
            List<Step> steps = steps();
            assertTrue(steps.size() >= 8, steps::toString);
            for (Step step : steps) {
                String answer = curl(step.command().replace("localhost:8080", "localhost:" + port(shop)));
                for (String line : step.shown()) {
                    String pattern = Arrays.stream(line.split("[.][.][.]", -1))
                            .map(Pattern::quote)
                            .collect(Collectors.joining(".*"));
                    assertTrue(
                            Pattern.compile(pattern, Pattern.CASE_INSENSITIVE)
                                    .matcher(answer)
                                    .find(),
                            () -> step.command() + " shows " + line + ", was\n" + answer);
                }
            }
        }
    }

    @Test
    void theEleventhPaymentAtOnceIsRefused(@TempDir Path folder) throws Exception {
        try (ConfigurableApplicationContext shop = started(folder)) {
            NamedLimiter payments = shop.getBean(LimiterRegistry.class).limiter("payments");
            List<Permit> held = new ArrayList<>();
            while (payments.tryAcquire() instanceof Permit permit) {
                held.add(permit);
            }
            assertEquals(10, held.size());
            String payment = "curl -i -X POST localhost:" + port(shop) + "/payments";
            assertTrue(curl(payment).startsWith("HTTP/1.1 503\n"));
            held.get(0).close();
            assertTrue(curl(payment).startsWith("HTTP/1.1 200\n"));
        }
    }

    private static ConfigurableApplicationContext started(Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("application.yml"), String.join("\n", blocks("yaml")));
        return SpringApplication.run(Shop.class, "--spring.config.location=file:" + file, "--server.port=0");
    }

    private static String port(ConfigurableApplicationContext shop) {
        return String.valueOf(shop.getEnvironment().getProperty("local.server.port"));
    }

    /** The status, the fields and the body, as {@code curl -i} prints them. */
    private static String curl(String command) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder();
        String method = "GET";
        String body = "";
        String option = "";
        assertTrue(command.startsWith("curl "), command);
        for (MatchResult argument :
                ARGUMENT.matcher(command.substring("curl ".length())).results().toList()) {
            String value = argument.group(2) == null ? argument.group(3) : argument.group(2);
            switch (value == null ? "" : option) {
                case "-X" -> method = value;
                case "-H" -> request.header(value.replaceFirst(":.*", ""), value.replaceFirst("[^:]*: *", ""));
                case "-d" -> body = value;
                default -> {
                    if (value != null) {
                        request.uri(URI.create("http://" + value));
                    }
                }
            }
            option = argument.group(1) == null || argument.group(1).equals("-i") ? "" : argument.group(1);
        }
        request.method(
                body.isEmpty() ? method : "POST",
                body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        HttpResponse<String> answer = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .build()
                .send(request.build(), BodyHandlers.ofString());
        StringBuilder text = new StringBuilder("HTTP/1.1 " + answer.statusCode() + "\n");
        answer.headers()
                .map()
                .forEach((name, values) -> values.forEach(value -> text.append(name + ": " + value + "\n")));
        return text.append(answer.body()).toString();
    }

    /** Of the application's own: of the configuration, and the annotation. */
    @Test
    void twelveLinesAreEnough() throws Exception {
        long lines = blocks("yaml").stream()
                .flatMap(String::lines)
                .filter(line -> !line.isBlank())
                .count();
        assertEquals(1, blocks("yaml").size());
        assertTrue(lines + 1 <= 12, lines + " lines and @Limited");
    }
}
