package dev.weir.apollo;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.ctrip.framework.apollo.mockserver.ApolloTestingServer;
import dev.weir.config.contract.SourceProbe;
import dev.weir.config.document.Format;
import dev.weir.testkit.VirtualTime;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Apollo's own client against the server that Apollo publishes for tests. It serves what src/test/resources/mockdata-* hold. */
class ApolloMockServerTest {
    @Test
    void changesOfAPropertiesAndOfAYamlNamespaceAreRead(@TempDir Path cache) throws Exception {
        System.setProperty("app.id", "weir");
        System.setProperty("apollo.cache-dir", cache.toString());
        System.setProperty("apollo.longPollQPS", "20");
        System.setProperty("apollo.loadConfigQPS", "20");
        VirtualTime time = new VirtualTime();
        try (ApolloTestingServer server = new ApolloTestingServer()) {
            server.start();
            try (SourceProbe properties = new SourceProbe(ApolloSource.of("application"), time);
                    SourceProbe yaml = new SourceProbe(ApolloSource.of("limits.yaml"), time)) {
                properties.awaitContent(bytes("{\"limits\":{\"mail\":{\"concurrency\":\"4\"}}}"));
                assertEquals(Format.TREE, properties.last().format());
                yaml.awaitContent(bytes("limits: { mail: { concurrency: 4 } }"));
                assertEquals(Format.YAML, yaml.last().format());
                server.addOrModifyProperty("application.properties", "limits.mail.concurrency", "5");
                properties.awaitContent(bytes("{\"limits\":{\"mail\":{\"concurrency\":\"5\"}}}"));
                server.addOrModifyProperty("limits.yaml", "content", "limits: {}\n");
                yaml.awaitContent(bytes("limits: {}\n"));
                server.deleteProperty("limits.yaml", "content");
                yaml.awaitAbsent();
                assertEquals(List.of(), properties.losses());
                assertEquals(List.of(), yaml.losses());
            }
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }
}
