// Written by Fixtures/made-elsewhere, and never by hand.

extension MadeElsewhere {
    static let keys = #"""
        [{"name":"jwk-p-256","title":"a key on P-256","proves":["KEY-12","KEY-13"],"clause":null,"given":{"text":"{\#
        \"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"wTsSpuYuFTxxilTq_jnT2QxHbAOBBwGJ2uE2AGDTm1M\",\"y\":\"ZOizr7qeDIp\#
        XVuByYRK_gynlugSCGRdxyThpNDo0z7Q\"}"}},
        {"name":"jwk-p-256-private","title":"a private key on P-256","proves":["KEY-12","KEY-13"],"clause":null,"g\#
        iven":{"text":"{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"wTsSpuYuFTxxilTq_jnT2QxHbAOBBwGJ2uE2AGDTm1M\",\"y\#
        \":\"ZOizr7qeDIpXVuByYRK_gynlugSCGRdxyThpNDo0z7Q\",\"d\":\"2XSaiG8WeuohCvmicxqEz0U3RCYK7w-7gMOb03JX7Og\"}"\#
        ,"secret":true}},
        {"name":"jwk-p-384","title":"a key on P-384","proves":["KEY-12","KEY-13"],"clause":null,"given":{"text":"{\#
        \"kty\":\"EC\",\"crv\":\"P-384\",\"x\":\"_kqv2ZOUfoow-0AGNYMqKpnromKLdiJJNo4TV18mL4cl69ZCE4TpTN90kO0rlx90\\#
        ",\"y\":\"yw58apC1_VKHKljw8Z73Ed4blFkR3c9AHmQlJq81dIX3zLbm1mpgcxRaoDPmMcxh\"}"}},
        {"name":"jwk-p-384-private","title":"a private key on P-384","proves":["KEY-12","KEY-13"],"clause":null,"g\#
        iven":{"text":"{\"kty\":\"EC\",\"crv\":\"P-384\",\"x\":\"_kqv2ZOUfoow-0AGNYMqKpnromKLdiJJNo4TV18mL4cl69ZCE\#
        4TpTN90kO0rlx90\",\"y\":\"yw58apC1_VKHKljw8Z73Ed4blFkR3c9AHmQlJq81dIX3zLbm1mpgcxRaoDPmMcxh\",\"d\":\"2XSai\#
        G8WeuohCvmicxqEz0U3RCYK7w-7gMOb03JX7Oc3wirhTjfTT_GdYvrtfUOe\"}","secret":true}},
        {"name":"jwk-p-521","title":"a key on P-521","proves":["KEY-12","KEY-13"],"clause":null,"given":{"text":"{\#
        \"kty\":\"EC\",\"crv\":\"P-521\",\"x\":\"AUJT9dOIW15VN4Xvem_stYxnASFgo1AtlIV51bSujC3KdrttDi3wgOQDLprIzxyS3\#
        sZk-eoAzEp4VD0kuDrwSZTu\",\"y\":\"AUkg54S7zscS-In6dfq3T_0k0dEsbqyWhVFZ4cv2qWIfcyhSkxUrebebfRNG8KdgKK8DNmkv\#
        OYLOuTOqWazvMmnf\"}"}},
        {"name":"jwk-ec-algorithm","title":"a key on P-256 for ES256","proves":["KEY-12"],"clause":null,"given":{"\#
        text":"{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"wTsSpuYuFTxxilTq_jnT2QxHbAOBBwGJ2uE2AGDTm1M\",\"y\":\"ZOi\#
        zr7qeDIpXVuByYRK_gynlugSCGRdxyThpNDo0z7Q\",\"alg\":\"ES256\"}"}},
        {"name":"jwk-ec-other-algorithm","title":"a key on P-256 for ES384","proves":["KEY-12"],"clause":"RFC7517-\#
        4.4","given":{"text":"{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"wTsSpuYuFTxxilTq_jnT2QxHbAOBBwGJ2uE2AGDTm1\#
        M\",\"y\":\"ZOizr7qeDIpXVuByYRK_gynlugSCGRdxyThpNDo0z7Q\",\"alg\":\"ES384\"}"}},
        {"name":"jwk-ec-as-secret","title":"a key on P-256 for HMAC","proves":["KEY-12"],"clause":"RFC7517-4.4","g\#
        iven":{"text":"{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"wTsSpuYuFTxxilTq_jnT2QxHbAOBBwGJ2uE2AGDTm1M\",\"y\#
        \":\"ZOizr7qeDIpXVuByYRK_gynlugSCGRdxyThpNDo0z7Q\",\"alg\":\"HS256\"}"}},
        {"name":"jwk-ec-short","title":"an x of 31 bytes","proves":["KEY-12"],"clause":"RFC7518-6.2.1.2","given":{\#
        "text":"{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"OxKm5i4VPHGKVOr-OdPZDEdsA4EHAYna4TYAYNObUw\",\"y\":\"ZOi\#
        zr7qeDIpXVuByYRK_gynlugSCGRdxyThpNDo0z7Q\"}"}},
        {"name":"jwk-ec-long","title":"a y of 33 bytes","proves":["KEY-12"],"clause":"RFC7518-6.2.1.2","given":{"t\#
        ext":"{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"wTsSpuYuFTxxilTq_jnT2QxHbAOBBwGJ2uE2AGDTm1M\",\"y\":\"AGTo\#
        s6-6ngyKV1bgcmESv4Mp5boEghkXcck4aTQ6NM-0\"}"}},
        {"name":"jwk-ec-off-curve","title":"no point of the curve","proves":["KEY-12"],"clause":"RFC8446-4.2.8.2",\#
        "given":{"text":"{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"wTsSpuYuFTxxilTq_jnT2QxHbAOBBwGJ2uE2AGDTm1M\",\\#
        "y\":\"ZOizr7qeDIpXVuByYRK_gynlugSCGRdxyThpNDo0z7U\"}"}},
        {"name":"jwk-ec-zeros","title":"a point of zeros","proves":["KEY-12"],"clause":"RFC8446-4.2.8.2","given":{\#
        "text":"{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\",\"y\":\"AA\#
        AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\"}"}},
        {"name":"jwk-ec-unreduced","title":"an x that is not reduced","proves":["KEY-12"],"clause":"RFC8446-4.2.8.\#
        2","given":{"text":"{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"__________________________________________8\\#
        ",\"y\":\"ZOizr7qeDIpXVuByYRK_gynlugSCGRdxyThpNDo0z7Q\"}"}},
        {"name":"jwk-ec-without-y","title":"without y","proves":["KEY-12"],"clause":"RFC8259-4","given":{"text":"{\#
        \"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"wTsSpuYuFTxxilTq_jnT2QxHbAOBBwGJ2uE2AGDTm1M\"}"}},
        {"name":"jwk-ec-secret-shown","title":"a public key with its secret","proves":["KEY-12"],"clause":"RFC7517\#
        -9.2","given":{"text":"{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"wTsSpuYuFTxxilTq_jnT2QxHbAOBBwGJ2uE2AGDTm\#
        1M\",\"y\":\"ZOizr7qeDIpXVuByYRK_gynlugSCGRdxyThpNDo0z7Q\",\"d\":\"2XSaiG8WeuohCvmicxqEz0U3RCYK7w-7gMOb03J\#
        X7Og\"}"}},
        {"name":"jwk-ec-pair","title":"with the public key of another","proves":["KEY-12"],"clause":"threat-8","gi\#
        ven":{"text":"{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"2jlQs6o2i5jznQDPDli4Zwv2bVrTbUpObTdSEDo1hLA\",\"y\\#
        ":\"krbioqc9v-R_uxl0rNhf6a0I8kk3S3YHhZyFUHUcIa0\",\"d\":\"2XSaiG8WeuohCvmicxqEz0U3RCYK7w-7gMOb03JX7Og\"}",\#
        "secret":true}},
        {"name":"jwk-ec-short-secret","title":"a d of 31 bytes","proves":["KEY-12"],"clause":"RFC7518-6.2.2.1","gi\#
        ven":{"text":"{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"wTsSpuYuFTxxilTq_jnT2QxHbAOBBwGJ2uE2AGDTm1M\",\"y\\#
        ":\"ZOizr7qeDIpXVuByYRK_gynlugSCGRdxyThpNDo0z7Q\",\"d\":\"AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQ\"}","\#
        secret":true}},
        {"name":"jwk-ec-zero-secret","title":"a d of zero","proves":["KEY-12"],"clause":"RFC6979-2.2","given":{"te\#
        xt":"{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"wTsSpuYuFTxxilTq_jnT2QxHbAOBBwGJ2uE2AGDTm1M\",\"y\":\"ZOizr\#
        7qeDIpXVuByYRK_gynlugSCGRdxyThpNDo0z7Q\",\"d\":\"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\"}","secret":\#
        true}},
        {"name":"jwk-ec-order-secret","title":"a d of n","proves":["KEY-12"],"clause":"RFC6979-2.2","given":{"text\#
        ":"{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"wTsSpuYuFTxxilTq_jnT2QxHbAOBBwGJ2uE2AGDTm1M\",\"y\":\"ZOizr7q\#
        eDIpXVuByYRK_gynlugSCGRdxyThpNDo0z7Q\",\"d\":\"_____wAAAAD__________7zm-q2nF56E87nKwvxjJVE\"}","secret":tr\#
        ue}},
        {"name":"jwk-rsa-algorithm","title":"an RSA key for PS256","proves":["KEY-12"],"clause":null,"given":{"tex\#
        t":"{\"kty\":\"RSA\",\"n\":\"x2mNBK0LlVLFRiPcmShxv21F4x8aLJ3Tq8cNyVIa1lbxBblW3_EiO5ZU0qKL0L2Cs9cwyb3eeW3gz\#
        DWxg1w2RPwp_mM7Rdo194WPgAJgbWTnMkwj81S2nAP86Epewk1Df3WDjYUA11N4vbG3rzig5cnuuLgL1sYQ9cHICrGIV14uLTzPT0yhgbp\#
        yYEwIXX5k5JY4tgQXk8oKnHeu5g7TZswiByuwVWlcmYbXQF9wzZ3dbY1WVYoZeCROdYMbJMTr5k4Zal_Iksd4a94wGvwtFptTLCTj_w7ij\#
        dQQOqjWYoL-7n8Ds6sEEMOZzqwmq-RcdxSFhewwtySxTb_PC9_KDw\",\"e\":\"AQAB\",\"alg\":\"PS256\"}"}},
        {"name":"jwk-rsa-other-algorithm","title":"an RSA key for ES256","proves":["KEY-12"],"clause":"RFC7517-4.4\#
        ","given":{"text":"{\"kty\":\"RSA\",\"n\":\"x2mNBK0LlVLFRiPcmShxv21F4x8aLJ3Tq8cNyVIa1lbxBblW3_EiO5ZU0qKL0L\#
        2Cs9cwyb3eeW3gzDWxg1w2RPwp_mM7Rdo194WPgAJgbWTnMkwj81S2nAP86Epewk1Df3WDjYUA11N4vbG3rzig5cnuuLgL1sYQ9cHICrGI\#
        V14uLTzPT0yhgbpyYEwIXX5k5JY4tgQXk8oKnHeu5g7TZswiByuwVWlcmYbXQF9wzZ3dbY1WVYoZeCROdYMbJMTr5k4Zal_Iksd4a94wGv\#
        wtFptTLCTj_w7ijdQQOqjWYoL-7n8Ds6sEEMOZzqwmq-RcdxSFhewwtySxTb_PC9_KDw\",\"e\":\"AQAB\",\"alg\":\"ES256\"}"}\#
        },
        {"name":"jwk-rsa-leading-zero","title":"a modulus with a zero in front","proves":["KEY-12"],"clause":"RFC7\#
        518-2","given":{"text":"{\"kty\":\"RSA\",\"n\":\"AMdpjQStC5VSxUYj3Jkocb9tReMfGiyd06vHDclSGtZW8QW5Vt_xIjuWV\#
        NKii9C9grPXMMm93nlt4Mw1sYNcNkT8Kf5jO0XaNfeFj4ACYG1k5zJMI_NUtpwD_OhKXsJNQ391g42FANdTeL2xt684oOXJ7ri4C9bGEPX\#
        ByAqxiFdeLi08z09MoYG6cmBMCF1-ZOSWOLYEF5PKCpx3ruYO02bMIgcrsFVpXJmG10BfcM2d3W2NVlWKGXgkTnWDGyTE6-ZOGWpfyJLHe\#
        GveMBr8LRabUywk4_8O4o3UEDqo1mKC_u5_A7OrBBDDmc6sJqvkXHcUhYXsMLcksU2_zwvfyg8\",\"e\":\"AQAB\"}"}},
        {"name":"jwk-rsa-exponent-zero","title":"an exponent with a zero in front","proves":["KEY-12"],"clause":"R\#
        FC7518-2","given":{"text":"{\"kty\":\"RSA\",\"n\":\"x2mNBK0LlVLFRiPcmShxv21F4x8aLJ3Tq8cNyVIa1lbxBblW3_EiO5\#
        ZU0qKL0L2Cs9cwyb3eeW3gzDWxg1w2RPwp_mM7Rdo194WPgAJgbWTnMkwj81S2nAP86Epewk1Df3WDjYUA11N4vbG3rzig5cnuuLgL1sYQ\#
        9cHICrGIV14uLTzPT0yhgbpyYEwIXX5k5JY4tgQXk8oKnHeu5g7TZswiByuwVWlcmYbXQF9wzZ3dbY1WVYoZeCROdYMbJMTr5k4Zal_Iks\#
        d4a94wGvwtFptTLCTj_w7ijdQQOqjWYoL-7n8Ds6sEEMOZzqwmq-RcdxSFhewwtySxTb_PC9_KDw\",\"e\":\"AAEAAQ\"}"}},
        {"name":"jwk-rsa-exponent-one","title":"an exponent of one","proves":["KEY-12"],"clause":"RFC8017-3.1","gi\#
        ven":{"text":"{\"kty\":\"RSA\",\"n\":\"x2mNBK0LlVLFRiPcmShxv21F4x8aLJ3Tq8cNyVIa1lbxBblW3_EiO5ZU0qKL0L2Cs9c\#
        wyb3eeW3gzDWxg1w2RPwp_mM7Rdo194WPgAJgbWTnMkwj81S2nAP86Epewk1Df3WDjYUA11N4vbG3rzig5cnuuLgL1sYQ9cHICrGIV14uL\#
        TzPT0yhgbpyYEwIXX5k5JY4tgQXk8oKnHeu5g7TZswiByuwVWlcmYbXQF9wzZ3dbY1WVYoZeCROdYMbJMTr5k4Zal_Iksd4a94wGvwtFpt\#
        TLCTj_w7ijdQQOqjWYoL-7n8Ds6sEEMOZzqwmq-RcdxSFhewwtySxTb_PC9_KDw\",\"e\":\"AQ\"}"}},
        {"name":"jwk-rsa-exponent-even","title":"an even exponent","proves":["KEY-12"],"clause":"RFC8017-3.1","giv\#
        en":{"text":"{\"kty\":\"RSA\",\"n\":\"x2mNBK0LlVLFRiPcmShxv21F4x8aLJ3Tq8cNyVIa1lbxBblW3_EiO5ZU0qKL0L2Cs9cw\#
        yb3eeW3gzDWxg1w2RPwp_mM7Rdo194WPgAJgbWTnMkwj81S2nAP86Epewk1Df3WDjYUA11N4vbG3rzig5cnuuLgL1sYQ9cHICrGIV14uLT\#
        zPT0yhgbpyYEwIXX5k5JY4tgQXk8oKnHeu5g7TZswiByuwVWlcmYbXQF9wzZ3dbY1WVYoZeCROdYMbJMTr5k4Zal_Iksd4a94wGvwtFptT\#
        LCTj_w7ijdQQOqjWYoL-7n8Ds6sEEMOZzqwmq-RcdxSFhewwtySxTb_PC9_KDw\",\"e\":\"Ag\"}"}},
        {"name":"jwk-rsa-exponent-large","title":"an exponent of 33 bits","proves":["KEY-12"],"clause":"KEY-3","gi\#
        ven":{"text":"{\"kty\":\"RSA\",\"n\":\"x2mNBK0LlVLFRiPcmShxv21F4x8aLJ3Tq8cNyVIa1lbxBblW3_EiO5ZU0qKL0L2Cs9c\#
        wyb3eeW3gzDWxg1w2RPwp_mM7Rdo194WPgAJgbWTnMkwj81S2nAP86Epewk1Df3WDjYUA11N4vbG3rzig5cnuuLgL1sYQ9cHICrGIV14uL\#
        TzPT0yhgbpyYEwIXX5k5JY4tgQXk8oKnHeu5g7TZswiByuwVWlcmYbXQF9wzZ3dbY1WVYoZeCROdYMbJMTr5k4Zal_Iksd4a94wGvwtFpt\#
        TLCTj_w7ijdQQOqjWYoL-7n8Ds6sEEMOZzqwmq-RcdxSFhewwtySxTb_PC9_KDw\",\"e\":\"AQAAAAE\"}"}},
        {"name":"jwk-rsa-small","title":"a modulus of 1024 bits","proves":["KEY-12"],"clause":"RFC7518-3.3","given\#
        ":{"text":"{\"kty\":\"RSA\",\"n\":\"x2mNBK0LlVLFRiPcmShxv21F4x8aLJ3Tq8cNyVIa1lbxBblW3_EiO5ZU0qKL0L2Cs9cwyb\#
        3eeW3gzDWxg1w2RPwp_mM7Rdo194WPgAJgbWTnMkwj81S2nAP86Epewk1Df3WDjYUA11N4vbG3rzig5cnuuLgL1sYQ9cHICrGIV18\",\"\#
        e\":\"AQAB\"}"}},
        {"name":"jwk-rsa-without-e","title":"without e","proves":["KEY-12"],"clause":"RFC8259-4","given":{"text":"\#
        {\"kty\":\"RSA\",\"n\":\"x2mNBK0LlVLFRiPcmShxv21F4x8aLJ3Tq8cNyVIa1lbxBblW3_EiO5ZU0qKL0L2Cs9cwyb3eeW3gzDWxg\#
        1w2RPwp_mM7Rdo194WPgAJgbWTnMkwj81S2nAP86Epewk1Df3WDjYUA11N4vbG3rzig5cnuuLgL1sYQ9cHICrGIV14uLTzPT0yhgbpyYEw\#
        IXX5k5JY4tgQXk8oKnHeu5g7TZswiByuwVWlcmYbXQF9wzZ3dbY1WVYoZeCROdYMbJMTr5k4Zal_Iksd4a94wGvwtFptTLCTj_w7ijdQQO\#
        qjWYoL-7n8Ds6sEEMOZzqwmq-RcdxSFhewwtySxTb_PC9_KDw\"}"}},
        {"name":"jwk-rsa-secret-shown","title":"an RSA key with a private member","proves":["KEY-12"],"clause":"RF\#
        C7517-9.2","given":{"text":"{\"kty\":\"RSA\",\"n\":\"x2mNBK0LlVLFRiPcmShxv21F4x8aLJ3Tq8cNyVIa1lbxBblW3_EiO\#
        5ZU0qKL0L2Cs9cwyb3eeW3gzDWxg1w2RPwp_mM7Rdo194WPgAJgbWTnMkwj81S2nAP86Epewk1Df3WDjYUA11N4vbG3rzig5cnuuLgL1sY\#
        Q9cHICrGIV14uLTzPT0yhgbpyYEwIXX5k5JY4tgQXk8oKnHeu5g7TZswiByuwVWlcmYbXQF9wzZ3dbY1WVYoZeCROdYMbJMTr5k4Zal_Ik\#
        sd4a94wGvwtFptTLCTj_w7ijdQQOqjWYoL-7n8Ds6sEEMOZzqwmq-RcdxSFhewwtySxTb_PC9_KDw\",\"e\":\"AQAB\",\"dp\":\"AQ\#
        AB\"}"}},
        {"name":"jwk-rsa-private","title":"a private RSA key","proves":["KEY-5"],"clause":"KEY-5","given":{"text":\#
        "{\"kty\":\"RSA\",\"n\":\"x2mNBK0LlVLFRiPcmShxv21F4x8aLJ3Tq8cNyVIa1lbxBblW3_EiO5ZU0qKL0L2Cs9cwyb3eeW3gzDWx\#
        g1w2RPwp_mM7Rdo194WPgAJgbWTnMkwj81S2nAP86Epewk1Df3WDjYUA11N4vbG3rzig5cnuuLgL1sYQ9cHICrGIV14uLTzPT0yhgbpyYE\#
        wIXX5k5JY4tgQXk8oKnHeu5g7TZswiByuwVWlcmYbXQF9wzZ3dbY1WVYoZeCROdYMbJMTr5k4Zal_Iksd4a94wGvwtFptTLCTj_w7ijdQQ\#
        OqjWYoL-7n8Ds6sEEMOZzqwmq-RcdxSFhewwtySxTb_PC9_KDw\",\"e\":\"AQAB\",\"d\":\"AQAB\"}","secret":true}}]
        """#
}
