package dev.weir.spring.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplicationAotProcessor;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.aot.AbstractAotProcessor.Settings;

/** Spring prepares an application with the starter ahead of time, and what it generates compiles. */
final class AheadOfTimeTest {
    @TempDir
    Path folder;

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        WeirAutoConfiguration.class,
        WeirMetersAutoConfiguration.class,
        WeirRoutesAutoConfiguration.class,
        WeirEndpointAutoConfiguration.class,
        WeirConsoleAutoConfiguration.class,
        WeirLimitedAutoConfiguration.class
    })
    static class Application {
        /** As an application has it: Spring runs it to find out what to prepare. */
        public static void main(String[] arguments) {
            new SpringApplicationBuilder(Application.class)
                    .web(WebApplicationType.NONE)
                    .run(arguments)
                    .close();
        }
    }

    @Test
    void whatIsPreparedCompilesAndHasTheHintsOfTheStarter() throws IOException {
        Settings settings = Settings.builder()
                .sourceOutput(folder.resolve("sources"))
                .resourceOutput(folder.resolve("resources"))
                .classOutput(folder.resolve("classes"))
                .groupId("dev.weir")
                .artifactId("shop")
                .build();
        new SpringApplicationAotProcessor(
                        Application.class, settings, new String[] {"--management.endpoint.weir.access=unrestricted"})
                .process();

        List<Path> sources = files("sources", ".java");
        List<String> arguments = new ArrayList<>(List.of(
                "-proc:none",
                "-nowarn",
                "-d",
                folder.resolve("compiled").toString(),
                "-cp",
                folder.resolve("classes")
                        + System.getProperty("path.separator")
                        + System.getProperty("java.class.path")));
        sources.forEach(each -> arguments.add(each.toString()));
        assertEquals(0, ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(String[]::new)));
        String names =
                sources.stream().map(each -> each.getFileName().toString()).collect(Collectors.joining("\n"));
        assertTrue(names.contains("WeirAutoConfiguration__BeanDefinitions.java"), names);
        StringBuilder hints = new StringBuilder();
        for (Path each : files("resources", ".json")) {
            hints.append(Files.readString(each));
        }
        for (String type : List.of(
                "WebProperties",
                "WebProperties$RouteProperties",
                "SourceProperties",
                "WeirEndpoint$Explained",
                "WeirEndpoint$Wrong",
                "WeirEndpoint$Overview")) {
            assertTrue(hints.indexOf("\"dev.weir.spring.boot." + type + "\"") > 0, type);
        }
        // It is written as a quoted expression.
        assertTrue(hints.toString().replace("\\", "").contains("dev/weir/console/"), hints::toString);
    }

    private List<Path> files(String below, String ending) throws IOException {
        try (Stream<Path> files = Files.walk(folder.resolve(below))) {
            return files.filter(each -> each.toString().endsWith(ending)).toList();
        }
    }
}
