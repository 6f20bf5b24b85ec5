package consumers;

import dev.weir.LimitExceededException;
import dev.weir.algorithms.FixedWindow;
import dev.weir.config.LimiterRegistry;
import dev.weir.named.Names;
import dev.weir.spring.EnableLimited;
import dev.weir.spring.Limited;
import java.time.Duration;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A limited method of a bean, while the limit decides and is changed. */
public final class Spring {
    private Spring() {}

    @Configuration(proxyBeanMethods = false)
    @EnableLimited
    static class Application {
        @Bean
        LimiterRegistry registry() {
            LimiterRegistry registry = LimiterRegistry.builder().build();
            registry.limiter("orders", FixedWindow.of(1, Duration.ofHours(1)));
            return registry;
        }

        @Bean
        Names names(LimiterRegistry registry) {
            return registry.names();
        }

        @Bean
        Shop shop() {
            return new Shop();
        }
    }

    static class Shop {
        @Limited("orders")
        String order() {
            return "ordered";
        }
    }

    public static void main(String[] args) {
        try (AnnotationConfigApplicationContext app = new AnnotationConfigApplicationContext(Application.class)) {
            Shop shop = app.getBean(Shop.class);
            Check.expect("ordered", shop.order());
            Check.expect("RATE", answer(shop));
            app.getBean(LimiterRegistry.class)
                    .override("orders", "{ rate: 2/h, algorithm: fixed-window }", Duration.ofHours(1), "ann", "more");
            Check.expect("ordered", answer(shop));
            Check.expect("RATE", answer(shop));
        }
    }

    private static String answer(Shop shop) {
        try {
            return shop.order();
        } catch (LimitExceededException e) {
            return e.rejection().reason().toString();
        }
    }
}
