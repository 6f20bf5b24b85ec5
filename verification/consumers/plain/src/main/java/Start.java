import dev.weir.config.LimiterRegistry;
import dev.weir.config.source.FileSource;
import java.nio.file.Files;
import java.nio.file.Path;

/** An application that asks for a limit of a file as soon as it starts, also on a machine that is busy. */
public final class Start {
    private Start() {}

    public static void main(String[] args) throws Exception {
        Path file = Files.createTempFile("limits", ".yaml");
        Files.writeString(file, "limits:\n  checkout: { concurrency: 2 }\n  search: { rate: 10/s }\n");
        try (LimiterRegistry registry = LimiterRegistry.of(FileSource.of(file))) {
            System.out.println(
                    "started with " + registry.limiter("checkout").status().settings());
        } catch (IllegalStateException late) {
            System.out.println(late.getMessage());
        } finally {
            Files.delete(file);
        }
    }
}
