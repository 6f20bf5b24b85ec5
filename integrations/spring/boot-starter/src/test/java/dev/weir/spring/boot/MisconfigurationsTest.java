package dev.weir.spring.boot;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;

/** What is wrong in the properties stops the start, and the report names the property, its place and the cure. */
@ExtendWith(OutputCaptureExtension.class)
final class MisconfigurationsTest {
    @TempDir
    Path folder;

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({WeirAutoConfiguration.class, WeirRoutesAutoConfiguration.class})
    static class Application {}

    /**
     * A start that must fail.
     *
     * @param yaml of the application; after a line of dashes, arguments of the command line
     * @param property the name that the report must have
     * @param place what follows the name of the file, or a place without a file
     * @param cure a part of what the report advises
     */
    record Wrong(String title, String yaml, String property, String place, String cure) {
        @Override
        public String toString() {
            return title;
        }
    }

    private static final String LIMITS = """
            weir:
              limits:
                checkout: { concurrency: 5 }
                mail: { rate: 5/s, key: tenant }
            """;

    static Stream<Wrong> wrong() {
        return Stream.of(
                new Wrong(
                        "an unknown section",
                        "weir.limit.a.rate: 5/s\n",
                        "weir.limit",
                        ":1:20",
                        "did you mean limits?"),
                new Wrong(
                        "a limit of zero",
                        "weir.limits.a.concurrency: 0\n",
                        "weir.limits.a.concurrency",
                        ":1:28",
                        "weir.limits.a.concurrency must be >= 1 and <= 2147483647"),
                new Wrong(
                        "an unknown field",
                        "weir.limits.a: { rat: 5/s }\n",
                        "weir.limits.a.rat",
                        ":1:23",
                        "did you mean rate?"),
                new Wrong("a rate without a time", "weir.limits.a.rate: 5\n", "weir.limits.a.rate", ":1:21", "must be"),
                new Wrong(
                        "an octal number",
                        "weir.limits.a: { rate: 5/s, burst: 010 }\n",
                        "weir.limits.a.burst",
                        ":1:36",
                        "must be a number without zeros before it"),
                new Wrong(
                        "a number of base 60",
                        "weir.limits.a.concurrency: 1:30\n",
                        "weir.limits.a.concurrency",
                        ":1:28",
                        "must be a whole number"),
                new Wrong(
                        "a name that YAML reads",
                        "weir:\n  limits:\n    no: { rate: 5/s }\n",
                        "weir.limits.false.rate",
                        ":3:17",
                        "in quotes"),
                new Wrong(
                        "a name of digits",
                        "weir:\n  limits:\n    42: { rate: 5/s }\n",
                        "weir.limits[42].rate",
                        ":3:17",
                        "in quotes"),
                new Wrong(
                        "a name with a dot",
                        "weir:\n  limits:\n    shop.web: { rate: 5/s }\n",
                        "weir.limits.shop.web",
                        ":3:23",
                        "\"[shop.web]\""),
                new Wrong(
                        "two spellings of a name",
                        "weir:\n  limits:\n    check-out: { rate: 5/s }\n    checkOut: { rate: 6/s }\n",
                        "weir.limits",
                        ":3:24",
                        "must not have both check-out"),
                new Wrong(
                        "a placeholder of nothing",
                        "weir.limits.a.concurrency: ${nothing}\n",
                        "weir.limits.a.concurrency",
                        ":1:28",
                        "must have placeholders that can be resolved"),
                new Wrong(
                        "a limit that is removed too",
                        "weir:\n  removed: [a]\n  limits.a.rate: 5/s\n",
                        "weir.removed[0]",
                        ":2:13",
                        "must not be under limits too"),
                new Wrong(
                        "a limit on the command line that is a map elsewhere",
                        LIMITS + "---\n--weir.limits.checkout=5",
                        "weir.limits.checkout",
                        "commandLineArgs weir.limits.checkout",
                        "must not be a map and something else"),
                new Wrong(
                        "an unknown algorithm",
                        "weir.limits.a: { algorithm: semafore }\n",
                        "weir.limits.a.algorithm",
                        ":1:29",
                        "did you mean semaphore?"),
                new Wrong(
                        "an unknown template",
                        "weir.limits.a: { template: base }\n",
                        "weir.limits.a.template",
                        ":1:28",
                        "is not known"),
                new Wrong(
                        "an unknown property of the source",
                        "weir.source.fil: a.yaml\n",
                        "weir.source.fil",
                        ":1:18",
                        "did you mean file?"),
                new Wrong(
                        "a file of no document",
                        "weir.source.file: absent.yaml\n",
                        "weir.source",
                        "absent.yaml",
                        "is missing at the source"),
                new Wrong(
                        "a file beside a document",
                        LIMITS + "  source.file: absent.yaml\n",
                        "weir.limits.checkout.concurrency",
                        ":3:30",
                        "move it there, or remove that source"),
                new Wrong(
                        "a time that is none",
                        "weir.source.start-within: soon\n",
                        "weir.source.start-within",
                        ":1:27",
                        "must be a duration such as 5s"),
                new Wrong(
                        "a time below zero",
                        "weir.source.start-within: -1s\n",
                        "weir.source.start-within",
                        ":1:27",
                        "must be >= 0"),
                new Wrong(
                        "a route to an unknown limit",
                        LIMITS + "  web.routes:\n  - path: /**\n    limits: chekout\n",
                        "weir.web.routes[0].limits[0]",
                        ":7:13",
                        "did you mean checkout?"),
                new Wrong(
                        "a route without a limit",
                        LIMITS + "  web.routes:\n  - path: /orders\n",
                        "weir.web.routes[0].limits",
                        ":6:11",
                        "name those that requests must pass"),
                new Wrong(
                        "a route without a path",
                        LIMITS + "  web.routes:\n  - limits: checkout\n",
                        "weir.web.routes[0].path",
                        ":6:13",
                        "/** = all requests"),
                new Wrong(
                        "a method that is none",
                        LIMITS + "  web.routes:\n  - path: FETCH /orders\n    limits: checkout\n",
                        "weir.web.routes[0].path",
                        ":6:11",
                        "must be one of"),
                new Wrong(
                        "an unknown property of a route",
                        LIMITS + "  web.routes:\n  - path: /**\n    limit: checkout\n    limits: checkout\n",
                        "weir.web.routes[0].limit",
                        ":7:12",
                        "did you mean limits?"),
                new Wrong(
                        "an unknown key",
                        LIMITS + "  web.routes:\n  - path: /**\n    limits: mail\n",
                        "weir.web.routes[0].limits",
                        ":7:13",
                        "must be one of"),
                new Wrong(
                        "a key of an unknown kind",
                        LIMITS
                                + "  web:\n    keys.tenant: heade:X-Tenant\n    routes:\n    - path: /**\n      limits: mail\n",
                        "weir.web.keys.tenant",
                        ":6:18",
                        "did you mean header?"),
                new Wrong(
                        "a cost of a limit that the route has not",
                        LIMITS + "  web.routes:\n  - path: /**\n    limits: checkout\n    cost.mail: 2\n",
                        "weir.web.routes[0].cost",
                        ":8:16",
                        "must be one of [checkout]"),
                new Wrong(
                        "a cost of nothing",
                        LIMITS + "  web.routes:\n  - path: /**\n    limits: checkout\n    cost.checkout: 0\n",
                        "weir.web.routes[0].cost",
                        ":8:20",
                        "must be >= 1"),
                new Wrong(
                        "a path to exempt without routes",
                        LIMITS + "  web.exempt: /health\n",
                        "weir.web.routes",
                        ":5:15",
                        "without a route nothing is limited"),
                new Wrong(
                        "a network that is none",
                        LIMITS
                                + "  web:\n    proxies: 10.0.0.0/99\n    routes:\n    - path: /**\n      limits: checkout\n",
                        "weir.web.proxies",
                        ":6:14",
                        "network must be like 10.0.0.0/8"),
                new Wrong(
                        "no routes",
                        LIMITS + "  web:\n    routes: []\n",
                        "weir.web.routes",
                        ":6:13",
                        "give one, or remove weir.web"),
                new Wrong(
                        "proxies whose header the server reads before",
                        LIMITS
                                + "  web:\n    proxies: 1\n    routes:\n    - path: /**\n      limits: checkout\n"
                                + "server.forward-headers-strategy: native\n",
                        "weir.web.proxies",
                        ":6:14",
                        "set server.forward-headers-strategy to none"),
                new Wrong(
                        "proxies on a platform where the server reads their header",
                        LIMITS
                                + "  web:\n    proxies: 1\n    routes:\n    - path: /**\n      limits: checkout\n"
                                + "spring.main.cloud-platform: kubernetes\n",
                        "weir.web.proxies",
                        ":6:14",
                        "set server.forward-headers-strategy to none"),
                new Wrong(
                        "fields that are neither written nor not",
                        LIMITS + "  web:\n    fields: perhaps\n    routes:\n    - path: /**\n      limits: checkout\n",
                        "weir.web.fields",
                        ":6:13",
                        "must be true or false"));
    }

    @ParameterizedTest
    @MethodSource("wrong")
    void theStartStops(Wrong wrong, CapturedOutput output) throws IOException {
        String[] parts = wrong.yaml.split("---\n");
        Path file = folder.resolve("application.yml");
        Files.writeString(file, parts[0]);
        List<String> arguments = new ArrayList<>(List.of("--spring.config.location=file:" + file));
        if (parts.length > 1) {
            arguments.add(parts[1]);
        }

        assertThrows(
                Exception.class,
                () -> new SpringApplicationBuilder(Application.class)
                        .web(WebApplicationType.NONE)
                        .properties("spring.main.banner-mode=off")
                        .run(arguments.toArray(String[]::new))
                        .close());
        String all = output.getAll();
        String report = all.substring(Math.max(0, all.indexOf("APPLICATION FAILED TO START")));
        String place = wrong.place.startsWith(":") ? file + wrong.place : wrong.place;
        assertTrue(report.contains("Property: " + wrong.property + System.lineSeparator()), report);
        assertTrue(report.matches("(?s).*Place: [^\n]*" + java.util.regex.Pattern.quote(place) + ".*"), report);
        String action = report.substring(Math.max(0, report.indexOf("Action:")));
        assertTrue(action.contains(wrong.cure), report);
        assertTrue(action.contains(place), report);
    }
}
