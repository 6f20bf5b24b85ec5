package dev.weir.spring.tests;

import dev.weir.config.LimiterRegistry;
import dev.weir.config.document.Format;
import dev.weir.config.source.ConfigSource;
import dev.weir.config.source.Reading;
import dev.weir.named.Names;
import dev.weir.spring.EnableLimited;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;

/** Applications of Spring with limited beans, as users start them. */
final class Started {
    @Configuration(proxyBeanMethods = false)
    @EnableLimited
    static class Application {}

    private record Document(String text) implements ConfigSource {
        @Override
        public String name() {
            return "test";
        }

        @Override
        public Reading read() {
            return Reading.of(text.getBytes(StandardCharsets.UTF_8), Format.YAML);
        }

        @Override
        public boolean isLocal() {
            return true;
        }

        @Override
        public void close() {}
    }

    private Started() {}

    /** An application that is not started yet. */
    static AnnotationConfigApplicationContext context(Names names, Class<?>... beans) {
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        context.registerBean("names", Names.class, () -> names);
        context.register(Application.class);
        Arrays.stream(beans).forEach(context::register);
        return context;
    }

    static AnnotationConfigApplicationContext with(Names names, Class<?>... beans) {
        AnnotationConfigApplicationContext context = context(names, beans);
        try {
            context.refresh();
        } catch (RuntimeException e) {
            context.close();
            throw e;
        }
        return context;
    }

    /** Limits that a document has. */
    static LimiterRegistry document(String yaml) {
        return LimiterRegistry.of(new Document(yaml));
    }
}
