package dev.weir.spring.boot.sample;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** A shop whose limits are in its application.yml. */
@SpringBootApplication
@RestController
public class ShopApplication {
    public static void main(String[] arguments) {
        SpringApplication.run(ShopApplication.class, arguments);
    }

    @RequestMapping("/orders")
    String orders() {
        return "sold";
    }
}
